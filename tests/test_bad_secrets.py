"""Secrets that are places or names: bad input gets exit code 2 and a message with place, cause and remedy."""

import random

import pytest
from bad_input import MARK, as_csv, refused, spec

DEGREES = 'kind = "spatial"\nlatitude = "lat"\nlongitude = "lon"'
CELLS = 'kind = "spatial"\ngrid_columns = 9'
JOBS = 'kind = "categorical"'


class Data:
    """60 people with a home, a cell and a job; a test spoils one thing."""

    def __init__(self, folder, hyobscure):
        self.folder, self.hyobscure = folder, hyobscure
        chance = random.Random(4)
        self.people = [["id", "lat", "lon", "cell", "job", "height", "steps"]]
        for number in range(60):
            place = [48 + chance.randint(0, 40) / 1000, 16 + chance.randint(0, 40) / 1000, chance.randint(0, 40)]
            self.people.append(
                [f"{MARK}{number:02}", *place, f"{MARK}job{number % 6}", chance.randint(1, 9), chance.randint(1, 9)]
            )
        self.tree = [["job", "branch"]] + [[f"{MARK}job{number}", f"{MARK}{number % 2}"] for number in range(6)]
        self.alike = [
            ["a", "b", "similarity"],
            [f"{MARK}job0", f"{MARK}job1", 0.5],
            [f"{MARK}job1", f"{MARK}job2", 0.25],
        ]

    def write(self, secret, keys):
        for name, rows in (("people.csv", self.people), ("tree.csv", self.tree), ("alike.csv", self.alike)):
            (self.folder / name).write_bytes(as_csv(rows))
        features = 'features = ["height", "steps"]\n'
        text = spec(secret, features, values="[2, 40]", distance="euclidean") + f"[secret]\n{keys}\n"
        (self.folder / "spec.toml").write_text(text)
        return self

    def fit(self, secret, keys, *flags):
        self.write(secret, keys)
        return self.hyobscure("fit", self.folder / "spec.toml", "-o", self.folder / "m.json", *flags)

    def counts(self):
        read = self.hyobscure("inspect", self.folder / "spec.toml", "--json")
        assert read.code == 0, read.err
        return read.json["read"]

    def refused(self, secret, keys, *words):
        text = refused(self.fit(secret, keys), self.fit(secret, keys, "--json"), *words)
        assert not (self.folder / "m.json").exists()
        return text


@pytest.fixture
def data(tmp_path, hyobscure):
    return Data(tmp_path, hyobscure)


@pytest.mark.parametrize(
    "secret, keys",
    [
        ("home", DEGREES),
        ("cell", CELLS),
        ("job", JOBS),
        ("job", JOBS + '\nhierarchy = "tree.csv"'),
        ("job", JOBS + '\nsimilarity = "alike.csv"'),
    ],
)
def test_the_unspoilt_data_is_read(data, secret, keys):
    assert data.write(secret, keys).counts()["people_read"] == 60


# --- places --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column, cell, words",
    [
        (1, 90.001, "expected degrees north from -90 to 90"),
        (1, -91, "expected degrees north from -90 to 90"),
        (2, 180.5, "expected degrees east from -180 to 180"),
        (2, MARK, "expected a number"),
        (1, "nan", "expected a finite number"),
        (2, "inf", "expected a finite number"),
        (1, "", "the secret is missing"),
    ],
)
def test_a_bad_coordinate_is_refused_at_the_row(data, column, cell, words):
    data.people[17][column] = cell
    data.refused("home", DEGREES, f'people.csv, row 17, column "{data.people[0][column]}": {words}')


def test_a_missing_coordinate_may_be_left_out_and_is_counted(data):
    data.people[17][2] = ""
    assert data.write("home", DEGREES + '\nmissing = "leave-out"').counts()["people_without_secret"] == 1


def test_places_across_the_180th_meridian_are_refused(data):
    data.people[3][2], data.people[4][2] = 179.5, -179.5
    data.refused("home", DEGREES, 'column "lon": the places lie on both sides of the 180th meridian')


def test_exchanged_coordinates_are_named_as_a_possible_cause(data):
    data.people[5][1] = 151.2
    assert "exchanged" in data.refused("home", DEGREES, "row 5")


@pytest.mark.parametrize("cell", [-1, 2.5, 10**12, MARK])
def test_a_bad_cell_number_is_refused_at_the_row(data, cell):
    data.people[9][3] = cell
    data.refused("cell", CELLS, 'people.csv, row 9, column "cell": expected')


def test_a_column_of_degrees_that_is_not_there_is_named(data):
    data.refused(
        "home", DEGREES.replace('"lat"', '"latt"'), 'column "latt": there is no such column', 'Did you mean "lat"?'
    )


# --- categories ----------------------------------------------------------------------------------------------------------


def hierarchy(data, *words):
    return data.refused("job", JOBS + '\nhierarchy = "tree.csv"', *words)


def test_a_category_that_the_hierarchy_lacks_is_refused_at_the_row_of_a_person(data):
    del data.tree[3]
    hierarchy(data, 'people.csv, row 3, column "job": the category is not in', "tree.csv")


def test_a_hierarchy_in_a_circle_is_refused_at_the_row(data):
    data.tree.append([f"{MARK}0", f"{MARK}x"])
    data.tree.append([f"{MARK}x", f"{MARK}0"])
    hierarchy(data, "tree.csv, row 8: something belongs to itself")


def test_two_parents_are_refused_at_the_row(data):
    data.tree.append([f"{MARK}job0", f"{MARK}1"])
    hierarchy(data, "tree.csv, row 7: something belongs to two different things")


def test_a_hole_in_a_path_is_refused_at_the_row(data):
    data.tree = [[*row, "all"] for row in data.tree]
    data.tree[2][1] = ""
    hierarchy(data, "tree.csv, row 2: an empty cell is followed by others")


def test_a_category_with_categories_below_it_is_refused_at_the_row(data):
    data.people[8][4] = f"{MARK}1"
    hierarchy(data, 'people.csv, row 8, column "job": others belong to the category')


@pytest.mark.parametrize(
    "row, words",
    [
        ([f"{MARK}job1", f"{MARK}job0", 0.6], 'row 1, column "similarity": the pair occurs again further down'),
        ([f"{MARK}job3", f"{MARK}job0", 1.5], 'row 3, column "similarity": expected a number from 0 to 1'),
        ([f"{MARK}job3", f"{MARK}job0", MARK], 'row 3, column "similarity": expected a number from 0 to 1'),
        (["", f"{MARK}job0", 0.5], "row 3: a name is missing"),
    ],
)
def test_a_bad_similarity_is_refused_at_the_row(data, row, words):
    data.alike.append(row)
    data.refused("job", JOBS + '\nsimilarity = "alike.csv"', f"alike.csv, {words}")


@pytest.mark.parametrize("key", ["hierarchy", "similarity"])
def test_a_file_that_is_not_there_is_named(data, key):
    data.refused("job", f'{JOBS}\n{key} = "none.csv"', "none.csv: there is no such file")


# --- keys that do not go together ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "secret, keys, words",
    [
        ("job", JOBS + "\ngrid_columns = 3", "secret.grid_columns is given, and no secret is spatial"),
        ("cell", 'latitude = "lat"', "secret.latitude is given, and no secret is spatial"),
        (
            "home",
            DEGREES + '\nhierarchy = "tree.csv"',
            "secret.hierarchy is given, and the secret is not a single categorical one",
        ),
        ("job", JOBS + "\nkeep = [1, 2]", "secret.keep is given, and the secret is not a single ordered one"),
        ("home", DEGREES + "\ngrid_columns = 3", "Keep one of them"),
        (
            "home",
            'kind = "spatial"',
            "a spatial secret needs secret.latitude and secret.longitude, or secret.grid_columns",
        ),
        ("home", DEGREES + '\nhome = "most-visited"', "needs events to find home from"),
        ("job", JOBS + '\nhierarchy = "tree.csv"\nsimilarity = "alike.csv"', "Keep one of them"),
    ],
)
def test_keys_of_another_kind_are_refused(data, secret, keys, words):
    data.refused(secret, keys, "spec.toml: ", words)
