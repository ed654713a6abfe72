"""Tables of every library go in, and come back as what they were."""

import datetime
import decimal

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
import scipy.sparse
from conftest import LONG, QUICK, groups_of_labels

import hyobscure
from hyobscure import HyObscure, InputError

WIDE = dict(
    id="who",
    keep=["gender"],
    settings={"channel.budget_share": 0.4, "release.ids": "keep"},  # rows are compared person by person
    **QUICK,
)
TO = {
    "pandas": lambda frame: frame,
    "polars": polars.from_pandas,
    "polars-lazy": lambda frame: polars.from_pandas(frame).lazy(),
    "pyarrow": lambda frame: pyarrow.Table.from_pandas(frame, preserve_index=False),
    "duckdb": lambda frame: duckdb.from_arrow(pyarrow.Table.from_pandas(frame, preserve_index=False)),
}
TYPES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "polars-lazy": polars.DataFrame,
    "pyarrow": pyarrow.Table,
    "duckdb": duckdb.DuckDBPyRelation,
}


def as_pandas(table):
    if isinstance(table, pandas.DataFrame):
        return table
    return table.to_df() if isinstance(table, duckdb.DuckDBPyRelation) else table.to_pandas()


@pytest.mark.parametrize("library", TO)
def test_wide_people_come_back_in_their_type(library, wide):
    model = HyObscure(**WIDE).fit(TO[library](wide), "age")
    release = model.publish()
    assert isinstance(release.people, TYPES[library])
    assert isinstance(release.groups, TYPES[library])
    people = as_pandas(release.people)
    assert list(people.columns) == ["who", "age", "gender", "visits", "height", "town"]
    assert people["visits"].dtype == wide["visits"].dtype and people["height"].dtype == wide["height"].dtype
    original = wide.set_index("who").loc[people["who"]]
    assert groups_of_labels(people["age"], original["age"])
    assert list(people["gender"]) == list(original["gender"])
    # Every row of features is that of a person with the same label and gender.
    label_of = dict(zip(people["who"], people["age"]))
    donors = {(label_of[row.who], row.gender, row.visits, row.height, row.town) for row in wide.itertuples()}
    assert all((row.age, row.gender, row.visits, row.height, row.town) in donors for row in people.itertuples())


@pytest.mark.parametrize("library", TO)
def test_every_library_gives_the_same_mechanism(library, wide, tmp_path):
    HyObscure(**WIDE).fit(wide, "age").save(tmp_path / "a.json")
    HyObscure(**WIDE).fit(TO[library](wide), "age").save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_long_people_come_back_with_their_events(library, long):
    people, events = (TO[library](frame) for frame in long)
    settings = {**LONG, "channel.budget_share": 1, "release.ids": "keep"}
    model = HyObscure(id="user", settings=settings, **QUICK).fit(people, "age", events=events)
    release = model.publish()
    assert isinstance(release.events, TYPES[library])
    published, seen = as_pandas(release.people), as_pandas(release.events)
    ages = long[0].set_index("user")["age"]
    assert groups_of_labels(published["age"], ages.loc[published["user"]])
    assert set(seen["user"]) == set(long[0]["user"]) and seen["user"].dtype == long[0]["user"].dtype
    bag = lambda frame: {user: frozenset(zip(rows["film"], rows["stars"])) for user, rows in frame.groupby("user")}
    true, shown, label = bag(long[1]), bag(seen), dict(zip(published["user"], published["age"]))
    donors = {}
    for user, row in true.items():
        donors.setdefault(label[user], set()).add(row)
    assert all(row in donors[label[user]] for user, row in shown.items())


@pytest.mark.parametrize("library", ["pandas", "polars-lazy", "pyarrow"])
def test_a_mechanism_that_was_loaded_is_applied_to_tables(library, wide, tmp_path, recwarn):
    model = HyObscure(**WIDE).fit(wide, "age")
    model.save(tmp_path / "mechanism.json")
    arguments = {key: WIDE[key] for key in ("id", "keep")}
    loaded = hyobscure.load(tmp_path / "mechanism.json", **arguments)
    hidden = as_pandas(loaded.transform(TO[library](wide), "age"))
    assert hidden.equals(model.transform(wide)) and not recwarn.list


def test_people_with_events_are_published_and_not_transformed(long):
    people, events = long
    model = HyObscure(id="user", settings={**LONG, "channel.budget_share": 0.4}, **QUICK)
    with pytest.raises(InputError, match="Call publish"):
        model.fit_transform(people, "age", events=events)


def test_every_column_keeps_its_type(wide):
    short = wide.assign(
        town=wide["town"].astype("category"),
        visits=wide["visits"].astype("int8"),
        height=wide["height"].astype("float32"),
        gender=wide["gender"].astype("string"),
    )
    for table in (short, polars.from_pandas(short), pyarrow.Table.from_pandas(short, preserve_index=False)):
        people = HyObscure(**WIDE).fit(table, "age").publish().people
        for column in ("who", "gender", "visits", "height", "town"):
            types = [
                (each.schema.field(column).type if isinstance(each, pyarrow.Table) else each[column].dtype)
                for each in (table, people)
            ]
            assert types[0] == types[1], column


def test_several_secrets_are_one_tuple_of_names(wide):
    settings = {"secret.kind": ["ordered", "categorical"], "channel.budget_share": 0.5}
    model = HyObscure(
        id="who", people=(30, 240), values=(2, 80), method="exact", clusters=4, random_state=1, settings=settings
    ).fit(wide, ("age", "gender"))
    release = model.publish()
    assert list(release.people.columns)[:4] == ["who", "group", "age", "gender"]
    assert release.verify().passed


def test_arrow_memory_in_several_batches_is_read_like_one(wide, tmp_path):
    """With empty cells, texts and bits, cut where no byte ends."""
    holes = wide.assign(height=wide["height"].where(wide.index % 5 != 2), town=wide["town"].where(wide.index % 7 != 3))
    whole = pyarrow.Table.from_pandas(holes.assign(tall=wide["height"] > 170), preserve_index=False)
    pieces = pyarrow.concat_tables([whole.slice(0, 7), whole.slice(7, 100), whole.slice(107)])
    arguments = {**WIDE, "settings": {**WIDE["settings"], "people.missing": "category"}}
    for table, name in ((whole, "a.json"), (pieces, "b.json")):
        HyObscure(**arguments).fit(table, "age").save(tmp_path / name)
    whole.to_pandas().to_parquet(tmp_path / "people.parquet")
    read = pyarrow.parquet.read_table(tmp_path / "people.parquet")
    HyObscure(**arguments).fit(read, "age").save(tmp_path / "c.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "c.json").read_bytes()


def test_an_array_and_the_same_table_are_the_same_people(numbers, model, tmp_path):
    X, y = numbers
    frame = pandas.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    HyObscure(budget=0.15, **QUICK).fit(frame, y).save(tmp_path / "frame.json")
    model.save(tmp_path / "array.json")
    assert (tmp_path / "frame.json").read_bytes() == (tmp_path / "array.json").read_bytes()


@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.uint8, np.int64])
def test_arrays_keep_their_numbers(numbers, dtype):
    X, y = numbers
    model = HyObscure(budget=0.15, settings={"release.ids": "keep"}, **QUICK)
    release = model.fit(X.astype(dtype), y).publish()
    assert release.X.dtype == dtype and release.X.shape == X.shape
    rows = {tuple(row) for row in X.astype(dtype).tolist()}
    assert all(tuple(row) in rows for row in release.X.tolist())
    assert groups_of_labels(release.y, y[release.people["id"]])


def test_arrays_in_either_order_are_the_same(numbers, model):
    X, y = numbers
    other = HyObscure(budget=0.15, **QUICK).fit(np.asfortranarray(X), y)
    assert other.leakage_ == model.leakage_
    assert (other.transform(X) == model.transform(X)).all()


def test_a_sparse_matrix_is_long_data(numbers):
    X, y = numbers
    sparse = scipy.sparse.csr_matrix(X)
    settings = {"channel.budget_share": 0.4, "release.ids": "keep"}
    model = HyObscure(settings=settings, **QUICK).fit(sparse, y)
    hidden = model.transform(sparse)
    assert scipy.sparse.issparse(hidden) and hidden.shape == X.shape
    release = model.publish()
    ids = release.people["id"]
    assert (release.X.toarray() == hidden.toarray()[ids]).all()
    assert groups_of_labels(release.y, y[ids])


def test_a_sparse_release_under_new_ids_has_the_same_rows(numbers):
    X, y = numbers
    sparse = scipy.sparse.csr_matrix(X)
    model = HyObscure(settings={"channel.budget_share": 0.4}, **QUICK).fit(sparse, y)
    release, hidden = model.publish(), model.transform(sparse)
    assert sorted(map(tuple, release.X.toarray().tolist())) == sorted(map(tuple, hidden.toarray().tolist()))
    assert len(set(release.people["id"])) == len(y)


def test_transform_is_the_draw_that_publish_writes(wide):
    model = HyObscure(**WIDE).fit(wide, "age")
    hidden = model.transform(wide)
    assert list(hidden.columns) == ["visits", "height", "town"] and hidden.index.equals(wide.index)
    published = model.publish().people.set_index("who").loc[wide["who"]]
    for column in hidden:
        assert list(hidden[column]) == list(published[column])


def test_secrets_by_name(wide):
    settings = {"secret.kind": "categorical", "channel.budget_share": 0.4}
    model = HyObscure(
        id="who",
        people=(20, 240),
        values=(1, 4),
        groups=1,
        method="exact",
        clusters=4,
        random_state=1,
        settings=settings,
    )
    towns = wide.assign(
        region=np.where(wide["age"] % 3 == 0, "east", np.where(wide["age"] % 3 == 1, "west", "centre"))
    ).drop(columns=["gender", "age"])
    model.fit(towns.drop(columns="region"), towns["region"])
    assert model.groups_[0]["values"] == 3


def test_rows_of_y_must_be_those_of_x(numbers):
    X, y = numbers
    with pytest.raises(InputError, match="has 199 values, and X has 200 rows"):
        HyObscure(budget=0.15, **QUICK).fit(X, y[1:])


def test_a_secret_that_is_also_a_column_of_x_is_not_published_as_a_feature(wide):
    with pytest.raises(InputError, match="would be published as a feature"):
        HyObscure(**WIDE).fit(wide, wide["age"])


def test_columns_may_be_called_by_numbers(numbers, model):
    X, y = numbers
    frame = pandas.DataFrame(X)  # columns 0, 1, ...
    other = HyObscure(budget=0.15, **QUICK).fit(frame, y)
    assert (other.transform(frame).to_numpy() == model.transform(X)).all()
    assert list(other.publish().people.columns) == ["id", "secret", *map(str, range(X.shape[1]))]


def test_without_people_there_is_nothing_to_fit(numbers):
    with pytest.raises(InputError, match="there are no people"):
        HyObscure(budget=0.15, **QUICK).fit(None, numbers[1])


# Every type of Arrow that is accepted, beside the plain type that a Parquet file has for it, and two values of it.
DAYS = [datetime.date(2001, 2, 3), datetime.date(1999, 12, 31)]
TIMES = [datetime.datetime(2001, 2, 3, 4, 5, 6), datetime.datetime(1999, 12, 31)]
WORDS = ["north", "a word of more than twelve letters"]
ARROW_TYPES = {
    "bool": (pyarrow.bool_(), [True, False]),
    **{f"int{bits}": (getattr(pyarrow, f"int{bits}")(), [-3, 5]) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (getattr(pyarrow, f"uint{bits}")(), [3, 5]) for bits in (8, 16, 32, 64)},
    "float32": (pyarrow.float32(), [0.5, -2.25]),
    "float64": (pyarrow.float64(), [0.1, 1e9]),
    "decimal": (pyarrow.decimal128(9, 2), [decimal.Decimal("1.25"), decimal.Decimal("-7.50")]),
    "string": (pyarrow.string(), WORDS),
    "large_string": (pyarrow.large_string(), WORDS),
    "string_view": (pyarrow.string_view(), WORDS),
    "binary": (pyarrow.binary(), [b"ab", b"a longer one than that"]),
    "fixed_binary": (pyarrow.binary(3), [b"abc", b"xyz"]),
    "date32": (pyarrow.date32(), DAYS),
    "date64": (pyarrow.date64(), DAYS),
    "time32": (pyarrow.time32("ms"), [datetime.time(1, 2, 3), datetime.time(23, 59)]),
    "time64": (pyarrow.time64("us"), [datetime.time(1, 2, 3), datetime.time(23, 59)]),
    "seconds": (pyarrow.timestamp("ms"), TIMES),
    "micros": (pyarrow.timestamp("us"), TIMES),
    "nanos": (pyarrow.timestamp("ns"), TIMES),
    "list": (pyarrow.list_(pyarrow.string()), [["a", "b"], ["b"]]),
    "words8": (pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), WORDS),
    "words32": (pyarrow.dictionary(pyarrow.uint32(), pyarrow.large_string()), WORDS),
    "numbers16": (pyarrow.dictionary(pyarrow.int16(), pyarrow.int64()), [7, 11]),
    "days64": (pyarrow.dictionary(pyarrow.int64(), pyarrow.date32()), DAYS),
    "runs": (pyarrow.run_end_encoded(pyarrow.int32(), pyarrow.string()), WORDS),
    "long_runs": (pyarrow.run_end_encoded(pyarrow.int64(), pyarrow.float64()), [0.5, 4.0]),
}
NOT_NUMBERS = ("binary", "date", "time", "seconds", "micros", "nanos", "days", "fixed")
NOT_OF = {  # types that a library has not, or turns into another one
    "polars": {"fixed_binary", "date64", "time32", "runs", "long_runs", "time64", "decimal"},
    "duckdb": {"date64", "time32", "runs", "long_runs", "large_string"},
}
PEOPLE = 60


def plain(type):
    """What a file has for it."""
    if pyarrow.types.is_dictionary(type) or pyarrow.types.is_run_end_encoded(type):
        return type.value_type
    return pyarrow.string() if type == pyarrow.string_view() else type


def encoded(cells, type):
    if pyarrow.types.is_run_end_encoded(type):
        return pyarrow.compute.run_end_encode(pyarrow.array(cells, type.value_type), run_end_type=type.run_end_type)
    if pyarrow.types.is_dictionary(type):
        return pyarrow.array(cells, type.value_type).dictionary_encode().cast(type)
    return pyarrow.array(cells, type)


def typed_people(missing, names=ARROW_TYPES):
    """One column of every type as a feature, each with its own empty cells, and one as a kept column: all of these
    say the same, so that a single cell that is read as another makes one more combination. The id, a kept column and
    the secret are dictionaries."""
    random = np.random.default_rng(2)
    kept = [None if missing and number % 3 == 0 else number % 2 for number in random.permutation(PEOPLE)]
    columns = {
        "who": (pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), [f"p{n:02d}" for n in range(PEOPLE)]),
        "age": (
            pyarrow.dictionary(pyarrow.int8(), pyarrow.int32()),
            [None if missing and n % 20 == 7 else 20 + n % 10 for n in range(PEOPLE)],
        ),
    }
    for place, name in enumerate(names):
        type, values = ARROW_TYPES[name]
        columns[f"k_{name}"] = (type, [None if v is None else values[v] for v in kept])
        holes = [missing and (row + place) % (3 + place % 5) == 0 for row in range(PEOPLE)]
        columns[f"f_{name}"] = (type, [None if hole else values[random.integers(2)] for hole in holes])
    return columns


def arrow_table(columns, layout):
    """whole; sliced: a part of a longer one, from where no byte begins; chunked: pieces with dictionaries of their own."""

    def array(type, cells):
        if layout == "sliced":
            return encoded(cells[-5:] + cells + cells[:3], type)[5 : 5 + len(cells)]
        cuts = [0, 7, 8, 41, len(cells)] if layout == "chunked" else [0, len(cells)]
        return pyarrow.chunked_array([encoded(cells[a:b], type) for a, b in zip(cuts, cuts[1:])], type)

    return pyarrow.table({name: array(type, cells) for name, (type, cells) in columns.items()})


def typed_settings(columns):
    kept = [name for name in columns if name.startswith("k_")]
    categories = [name for name in columns if name.startswith("f_") and name[2:].startswith(NOT_NUMBERS)]
    further = {
        "people.categorical": categories,
        "people.missing": "category",
        "secret.missing": "leave-out",
        "channel.budget_share": 0.4,
        "release.format": "parquet",
    }
    return dict(
        id="who",
        keep=kept,
        people=(10, 60),
        values=(2, 10),
        method="exact",
        clusters=3,
        random_state=4,
        settings=further,
    )


def files_of(model, folder):
    model.save(folder / "mechanism.json")
    model.publish(folder / "release", accept_leakage=True)  # small tables of every type: not about strength
    released = pyarrow.parquet.read_table(folder / "release" / "people.parquet")
    return (folder / "mechanism.json").read_bytes(), {
        name: released[name].to_pylist() for name in released.column_names
    }


def from_parquet(columns, folder):
    """The same people, as the program would read them from a file."""
    file = folder / "people.parquet"
    pyarrow.parquet.write_table(
        pyarrow.table({name: pyarrow.array(cells, plain(type)) for name, (type, cells) in columns.items()}), file
    )
    settings = typed_settings(columns)
    features = [name for name in columns if name.startswith("f_")]
    spec = [f'[people]\nfile = "{file}"\nsecret = "age"\nfeatures = {features}\n']
    (folder / "spec.toml").write_text("".join(spec).replace("'", '"'))
    return files_of(HyObscure.from_spec(folder / "spec.toml", **settings).fit(), folder)


LIBRARIES = {
    "pandas": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "polars": polars.from_arrow,
    "pyarrow": lambda table: table,
    "duckdb": duckdb.from_arrow,
}


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "with-empty-cells"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_type_is_read_as_from_a_file(library, missing, tmp_path):
    names = [name for name in ARROW_TYPES if name not in NOT_OF.get(library, ())]
    columns = typed_people(missing, names)
    (tmp_path / "file").mkdir()
    mechanism, released = from_parquet(columns, tmp_path / "file")
    for layout in ("whole", "sliced", "chunked"):
        (tmp_path / layout).mkdir()
        people = LIBRARIES[library](arrow_table(columns, layout))
        model = HyObscure(**typed_settings(columns)).fit(people, "age")
        got, shown = files_of(model, tmp_path / layout)
        for name in columns:
            assert shown[name] == released[name], (layout, name)
        assert got == mechanism, layout


def test_transform_hides_categories_with_empty_cells_as_the_release_does(wide):
    holes = wide.assign(town=wide["town"].where(wide.index % 7 != 3).astype("category"))
    for library in ("pandas", "polars", "pyarrow"):
        table = TO[library](holes)
        arguments = {**WIDE, "settings": {**WIDE["settings"], "people.missing": "category"}}
        model = HyObscure(**arguments).fit(table, "age")
        hidden = as_pandas(model.transform(table))["town"].astype(object)
        shown = as_pandas(model.publish().people).set_index("who").loc[wide["who"], "town"].astype(object)
        assert hidden.isna().sum() > 0
        assert [None if cell != cell else cell for cell in hidden] == [None if cell != cell else cell for cell in shown]


def half_empty_kept(library):
    """300 people, half of them with an empty kept cell: what version 0.1 published as one of the words."""
    random = np.random.default_rng(1)
    cells = [None if row % 2 else random.choice(["x", "y", "z"]) for row in range(300)]
    frame = pandas.DataFrame({"age": random.integers(20, 60, 300), "town": random.choice(["n", "s"], 300)})
    words = pyarrow.array(cells).dictionary_encode()
    table = pyarrow.Table.from_pandas(frame, preserve_index=False).append_column("label", words)
    return cells, {"pandas": table.to_pandas, "polars": lambda: polars.from_arrow(table), "pyarrow": lambda: table}[
        library
    ]()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_empty_categories_are_kept_empty_and_refused_as_features(library):
    cells, table = half_empty_kept(library)
    arguments = dict(people=(20, 300), values=(3, 40), method="exact", clusters=2, random_state=1)
    model = HyObscure(keep=["label"], settings={"channel.budget_share": 0.4}, **arguments).fit(table, "age")
    published = list(as_pandas(model.publish().people)["label"].astype(object))
    assert sum(cell == "x" for cell in published) == cells.count("x")
    assert sum(cell is None or cell != cell for cell in published) == 150
    with pytest.raises(InputError, match="the cell is empty \\(150 cells in all\\)"):
        HyObscure(settings={"channel.budget_share": 0.4}, **arguments).fit(table, "age")


def test_a_column_of_mixed_cells_is_refused_without_quoting_one(wide):
    mixed = wide.assign(note=["secret-word" if row % 2 else row for row in range(len(wide))])
    with pytest.raises(InputError, match='column "note": its cells are not of one type') as caught:
        HyObscure(**WIDE).fit(mixed, "age")
    seen, error = "", caught.value
    while error is not None:
        seen, error = seen + str(error), error.__cause__ or error.__context__
    assert "secret-word" not in seen and caught.value.place.column == "note"
    with pytest.raises(InputError, match="not of one type"):
        HyObscure(**WIDE).fit(wide.drop(columns="age"), mixed["note"].rename("secret"))


@pytest.mark.parametrize("role", ["feature", "secret"])
@pytest.mark.parametrize("kind", ["period", "interval", "cut", "sparse"])
def test_types_that_only_pandas_has_are_named(wide, kind, role):
    cells = {
        "period": lambda: pandas.Series(pandas.period_range("2020-01", periods=12, freq="M")).take(wide["visits"] % 12),
        "interval": lambda: pandas.Series(pandas.arrays.IntervalArray.from_breaks(range(len(wide) + 1))),
        "cut": lambda: pandas.cut(wide["height"], 4),
        "sparse": lambda: pandas.Series(pandas.arrays.SparseArray(wide["visits"])),
    }[kind]()
    cells = cells.set_axis(wide.index)
    with pytest.raises(InputError, match="of pandas. Convert it") as caught:
        if role == "feature":
            HyObscure(**WIDE).fit(wide.assign(own=cells), "age")
        else:
            HyObscure(**WIDE).fit(wide.drop(columns="age"), cells.rename("own"))
    assert caught.value.place.column == "own"


def test_half_precision_is_named_as_what_is_not_read(wide):
    with pytest.raises(InputError, match='column "height": is of a type that is not read'):
        HyObscure(**WIDE).fit(wide.assign(height=wide["height"].astype("float16")), "age")


def test_a_column_without_a_name_is_refused_and_not_dropped(wide):
    with pytest.raises(InputError, match="column 4 has no name"):
        HyObscure(**WIDE).fit(wide.rename(columns={"visits": ""}), "age")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_columns_that_identify_are_refused_until_they_are_allowed_by_name(library, wide):
    people = TO[library](wide.assign(mail=[f"{who}@example.org" for who in wide["who"]]))
    with pytest.raises(InputError, match='column "mail": may not be published.*e-mail') as caught:
        HyObscure(**WIDE).fit(people, "age")
    assert caught.value.place.column == "mail" and "example.org" not in str(caught.value)
    allow = {**WIDE["settings"], "people.allow_identifying": ["mail"]}
    assert HyObscure(**{**WIDE, "settings": allow}).fit(people, "age").publish().verify().passed
