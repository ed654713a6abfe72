"""Tables of every library go in, and come back as what they were."""

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
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
    # Every row of features is somebody's, of the same label and gender.
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
    settings = {**LONG, "channel.budget_share": 0.4, "release.ids": "keep"}
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
    ).drop(columns=["gender"])
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
