"""Tables of other libraries: into the engine as Arrow, and back in the type that they came in.

Cells are not copied on their way in, except that a numpy array in C order is turned into columns.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, NoReturn, Sequence

import numpy as np
import scipy.sparse

from . import _core
from ._errors import InputError, Place


def kind_of(table: Any) -> str:
    """The library of a table. None of them is imported to find out."""
    if scipy.sparse.issparse(table):
        return "scipy"
    library = type(table).__module__.split(".")[0]
    if library in ("pandas", "polars", "pyarrow", "duckdb", "_duckdb"):
        return library.lstrip("_")
    return "arrow" if hasattr(table, "__arrow_c_stream__") else "numpy"


def is_frame(table: Any) -> bool:
    return kind_of(table) not in ("numpy", "scipy")


def _needs(library: str, why: str) -> Any:
    try:
        return __import__(library)
    except ImportError:
        raise InputError.of(library, f"is not installed, and {why}", f"pip install {library}") from None


def column_names(frame: Any) -> list[str]:
    kind = kind_of(frame)
    if kind == "pyarrow":
        return list(frame.schema.names)
    if kind == "arrow":
        return _core_table("frame", frame).names
    if hasattr(frame, "collect_schema"):  # polars, also what is not computed yet
        return frame.collect_schema().names()
    return [str(name) for name in frame.columns]


def _converted(convert: Callable[[], Any], pyarrow: Any) -> Any:
    """None where pyarrow fails: its own words would quote a cell, also as the context of another error."""
    try:
        return convert()
    except (pyarrow.ArrowException, OverflowError, TypeError):
        return None


# Types of pandas whose cells Arrow has as something else: a period as a number of months, an interval as a pair.
_OWN_TYPES = {"Period": "periods", "Interval": "intervals", "Sparse": "sparse"}


def _refuse_own_type(column: str, dtype: Any) -> None:
    for each in (dtype, getattr(getattr(dtype, "categories", None), "dtype", None)):
        for name, what in _OWN_TYPES.items():
            if type(each).__name__ == name + "Dtype":
                problem, remedy = f"its cells are {what} of pandas", "Convert it to numbers or texts first (astype)."
                raise InputError(f'column "{column}": {problem}. {remedy}', Place(column=column), problem, remedy)


def _refuse_column(column: str) -> NoReturn:
    raise InputError(
        f'column "{column}": its cells are not of one type. Convert it to numbers or texts first.',
        Place(column=column),
        "its cells are not of one type",
        "Convert it to numbers or texts first.",
    )


def _from_pandas(frame: Any) -> Any:
    pyarrow = _needs("pyarrow", "pandas hands its tables over through it")
    for column, dtype in zip(column_names(frame), frame.dtypes):
        _refuse_own_type(column, dtype)
    table = _converted(lambda: pyarrow.Table.from_pandas(frame, preserve_index=False), pyarrow)
    if table is not None:
        return table
    for place, column in enumerate(column_names(frame)):
        if _converted(lambda: pyarrow.Array.from_pandas(frame.iloc[:, place]), pyarrow) is None:
            _refuse_column(column)
    raise InputError.of("X", "pandas cannot hand it over as Arrow", "Convert it to another kind of table first.")


def _core_table(name: str, frame: Any) -> _core.ArrowTable:
    table = _core.ArrowTable(name)
    kind = kind_of(frame)
    if kind == "pandas":
        frame = _from_pandas(frame)
    elif kind == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    table.add_stream(frame)
    return table


def frame_table(name: str, frame: Any) -> _core.ArrowTable:
    """The columns of a data frame; polars, pyarrow and DuckDB share their memory."""
    return _core_table(name, frame)


def array_table(name: str, array: np.ndarray, columns: Sequence[str]) -> _core.ArrowTable:
    """The columns of a 2-D array."""
    table = _core.ArrowTable(name)
    for column, cells in zip(columns, np.asfortranarray(array).T):
        add_column(table, cells, column)
    return table


def sparse_table(name: str, matrix: Any) -> _core.ArrowTable:
    """The entries of a sparse matrix: row, column, value."""
    rows = matrix.tocsr()
    table = _core.ArrowTable(name)
    add_column(table, np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), "person")
    add_column(table, rows.indices, "item")
    add_column(table, rows.data, "value")
    return table


def add_column(table: _core.ArrowTable, values: Any, name: str) -> None:
    """A column of numbers or texts."""
    if kind_of(values) == "pandas" and not (isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf"):
        pyarrow = _needs("pyarrow", "pandas hands such columns over through it")
        _refuse_own_type(name, values.dtype)
        cells = _converted(lambda: pyarrow.Array.from_pandas(values), pyarrow)
        if cells is None:
            _refuse_column(name)
        values = cells if isinstance(cells, pyarrow.ChunkedArray) else pyarrow.chunked_array([cells])
    if kind_of(values) in ("polars", "pyarrow", "arrow"):
        table.add_stream(values, name)
        return
    cells = np.asarray(values)
    if cells.dtype.kind == "b":
        cells = cells.astype(np.uint8)
    if cells.dtype == np.float16:
        cells = cells.astype(np.float32)
    if cells.dtype.kind in "iuf":
        table.add_numbers(np.ascontiguousarray(cells), name)
    else:
        table.add_texts([None if cell is None or cell != cell else str(cell) for cell in cells.tolist()], name)


def take(table: Any, rows: np.ndarray, columns: Sequence[str] | None) -> Any:
    """Rows of a table by their numbers, in its own type; of a data frame these columns only."""
    kind = kind_of(table)
    if kind in ("numpy", "scipy"):
        return table[rows]
    if kind == "pandas":
        names = column_names(table)
        taken = table.iloc[rows, [names.index(column) for column in columns or []]]
        taken.index = table.index  # whose the row was must not show
        return taken
    if kind == "polars":
        frame = table.collect() if hasattr(table, "collect") else table
        return frame.select(columns)[rows]
    pyarrow = _needs("pyarrow", "rows of this table are taken by it")
    return to_kind(pyarrow.table(table).select(list(columns or [])).take(pyarrow.array(rows)), kind)


def to_kind(rows: Any, kind: str) -> Any:
    """An Arrow stream, or columns by their names, as a table of a library."""
    if isinstance(rows, dict) and kind in ("numpy", "scipy"):
        return {name: np.asarray(cells) for name, cells in rows.items()}
    if kind == "polars":
        polars = _needs("polars", "the data came from it")
        return polars.DataFrame(rows)
    if kind == "pandas" and isinstance(rows, dict):
        return _needs("pandas", "the data came from it").DataFrame(rows)
    pyarrow = _needs("pyarrow", "tables come back through it")
    table = pyarrow.table(rows)
    if kind == "pandas":
        return table.to_pandas()
    if kind == "duckdb":
        return sys.modules["duckdb"].from_arrow(table)
    return table.combine_chunks()


def with_types_of(table: Any, original: Any, columns: Sequence[str]) -> Any:
    """The table with these columns in the types of the original: categories, short numbers and all other types that a library has."""
    kind = kind_of(table)
    if kind == "pandas":
        types = dict(zip(column_names(original), original.dtypes))
        return table.astype({column: types[column] for column in columns})
    if kind == "polars":
        schema = original.collect_schema()
        return table.with_columns(table[column].cast(schema[column]) for column in columns)
    if kind == "pyarrow":
        for column in columns:
            field = original.schema.field(column)
            table = table.set_column(table.schema.get_field_index(column), field, table[column].cast(field.type))
    return table


def installed_kind() -> str:
    """For data that came from files: the library that is there."""
    import importlib.util

    def there(library: str) -> bool:
        return importlib.util.find_spec(library) is not None

    if there("pandas") and there("pyarrow"):
        return "pandas"
    return "polars" if there("polars") else "pyarrow"
