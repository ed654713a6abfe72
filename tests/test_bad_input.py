"""Bad input gets exit code 2 and a message with place, cause and remedy. Nothing is written, and no cell is quoted."""

import gzip
import json
import random
import re
import shutil
import struct

import pytest

MARK = "zebra4711"  # is in every id and every item: it must never be shown

LONG = """[people]
file = "people.csv"
id = "id"
secret = "age"
[events]
file = "events.csv"
person = "who"
item = "what"
value = "stars"
[groups]
count = 2
people = [5, 55]
values = [2, 9]
[channel]
clusters = 3
distance = "jensen-shannon"
budget_share = 0.5
"""

WIDE = """[people]
file = "people.csv"
id = "id"
secret = "age"
features = ["height", "steps", "town"]
scale = "none"
[groups]
count = 2
people = [5, 55]
values = [2, 9]
[channel]
clusters = 3
distance = "jensen-shannon"
budget_share = 0.5
"""


def as_csv(table, delimiter=","):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in table).encode()


class Data:
    """A spec and its tables. Row 0 is the header, so people[7] is row 7 of a message; ids descend, unlike rows."""

    def __init__(self, folder, hyobscure, wide):
        self.folder, self.hyobscure, self.out = folder / "data", hyobscure, folder / "out"
        self.folder.mkdir()
        self.out.mkdir()
        chance = random.Random(5)
        ids = [f"{MARK}-{99 - n}" for n in range(60)]
        ages = [20 + n % 10 for n in range(60)]
        towns = [f"{MARK}town", "here", "there"]
        if wide:
            self.people = [["id", "age", "height", "steps", "town"]]
            self.people += [
                [i, a, chance.randint(1, 99), chance.randint(1, 99), chance.choice(towns)] for i, a in zip(ids, ages)
            ]
        else:
            self.people = [["id", "age"]] + [[i, a] for i, a in zip(ids, ages)]
        self.events = [["who", "what", "stars"]]
        self.events += [
            [i, f"{MARK}film{what}", chance.randint(1, 5)] for i in ids for what in chance.sample(range(12), 5)
        ]
        self.spec = WIDE if wide else LONG
        self.wide = wide
        self.files = {}  # further files, or bytes instead of the tables

    def write(self):
        files = {"people.csv": as_csv(self.people), "spec.toml": self.spec}
        if not self.wide:
            files["events.csv"] = as_csv(self.events)
        for name, content in {**files, **self.files}.items():
            if content is None:
                (self.folder / name).unlink(missing_ok=True)
            else:
                (self.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def replace(self, old, new):
        assert old in self.spec
        self.spec = self.spec.replace(old, new)
        return self

    def fit(self, *flags):
        self.write()
        return self.hyobscure("fit", self.folder / "spec.toml", "-o", self.out / "m.json", *flags, cwd=self.out)

    def works(self, *flags):
        fitted = self.fit("--json", *flags)
        assert fitted.usable, fitted.err
        (self.out / "m.json").unlink()
        return fitted.json

    def refused(self, *words, flags=(), shown=None):
        """fit says no, with these words, as text and as JSON; nothing is written."""
        before = sorted(path.name for path in self.write().folder.iterdir())
        text = refused(self.fit(*flags), self.fit(*flags, "--json"), *words, shown=shown)
        assert list(self.out.iterdir()) == []
        assert sorted(path.name for path in self.folder.iterdir()) == before
        return text


def refused(plain, machine, *words, shown=None):
    """Both outcomes say no with the same message, which has these words, a cause and a remedy and no cell."""
    assert plain.code == 2, (plain.code, plain.out, plain.err)
    assert plain.out == ""
    assert plain.err.startswith("hyobscure: ") and plain.err.endswith("\n")
    for word in words:
        assert word in plain.err, plain.err
    assert machine.code == 2, (machine.code, machine.out, machine.err)
    error = machine.json["error"]
    assert error["exit_code"] == 2
    for part in ("source", "problem", "remedy"):
        assert error[part].strip(), (part, error)
        assert error[part] in plain.err, (part, error, plain.err)
    assert error["remedy"].rstrip()[-1] in ".?]" or "\n" in error["remedy"], error
    for said in (plain.out, plain.err, machine.out, machine.err):
        assert MARK not in said.replace(shown or "\0", ""), said
        assert "std::" not in said and "duckdb" not in said.lower().replace("duckdb file", ""), said
    return plain.err


@pytest.fixture
def long(tmp_path, hyobscure):
    return Data(tmp_path, hyobscure, wide=False)


@pytest.fixture
def wide(tmp_path, hyobscure):
    return Data(tmp_path, hyobscure, wide=True)


@pytest.fixture(params=["long", "wide"])
def data(request, tmp_path, hyobscure):
    return Data(tmp_path, hyobscure, wide=request.param == "wide")


def test_the_unspoilt_data_works(data):
    data.works()


# --- files that are not there, or hold nothing ---------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_a_missing_file_is_named(long, file):
    long.files[file] = None
    long.refused(f"{file}: there is no such file", "Correct the path")


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_an_empty_file_is_named(long, file):
    long.files[file] = b""
    long.refused(f"{file}: the file is empty")


@pytest.mark.parametrize("file, what", [("people.csv", "people"), ("events.csv", "events")])
def test_a_file_with_only_a_header_is_named(long, file, what):
    long.files[file] = as_csv([long.people[0] if what == "people" else long.events[0]])
    long.refused(f"{file}: there are no {what} in it")


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_a_folder_in_place_of_a_file_is_named(long, file):
    long.replace(f'"{file}"', '"."')
    long.refused("this is not a file", "Name a file")


def test_a_missing_spec_is_named(hyobscure, tmp_path):
    both = [hyobscure("fit", tmp_path / "none.toml", "-o", tmp_path / "m.json", *flag) for flag in ([], ["--json"])]
    refused(*both, "none.toml: there is no such file")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_mechanism_is_named(hyobscure, people, tmp_path):
    both = [
        hyobscure("publish", people / "spec.toml", "-m", tmp_path / "none.json", "-o", tmp_path / "r", *flag)
        for flag in ([], ["--json"])
    ]
    refused(*both, "none.json: there is no such file")
    assert list(tmp_path.iterdir()) == []


def test_an_output_in_a_folder_that_is_not_there_is_named(hyobscure, people, tmp_path):
    both = [
        hyobscure("fit", people / "spec.toml", "-o", tmp_path / "none" / "m.json", *flag) for flag in ([], ["--json"])
    ]
    refused(*both, "none: there is no such folder")
    assert list(tmp_path.iterdir()) == []


# --- columns -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key, column, file",
    [
        ("id", "id", "people.csv"),
        ("secret", "age", "people.csv"),
        ("person", "who", "events.csv"),
        ("item", "what", "events.csv"),
        ("value", "stars", "events.csv"),
    ],
)
def test_an_unknown_column_is_named(long, key, column, file):
    long.replace(f'{key} = "{column}"', f'{key} = "nonesuch"')
    long.refused(file, 'column "nonesuch"', "there is no such column", "Correct the name")


def test_a_misspelt_column_is_put_right(long):
    long.replace('value = "stars"', 'value = "star"')
    long.refused('column "star"', 'Did you mean "stars"?')


def test_an_unknown_feature_is_named(wide):
    wide.replace('"steps"', '"stride-length"')
    wide.refused("people.csv", 'column "stride-length"', "no such column")


@pytest.mark.parametrize("secret", ["age", "yr", "y"])
@pytest.mark.parametrize("cells", [[MARK, "31"], ["7", "31"]])
def test_cells_of_a_file_without_a_header_are_not_taken_for_names(long, secret, cells):
    long.people[0] = cells
    long.replace('secret = "age"', f'secret = "{secret}"')
    text = long.refused("people.csv", "no such column", "header")
    for cell in cells:
        assert f'"{cell}"' not in text, text


@pytest.mark.parametrize(
    "file, header, column",
    [
        ("people.csv", ["id", "age", "age"], "age"),
        ("people.csv", ["id", "age", "ID"], "id"),
        ("events.csv", ["who", "what", "stars", "what"], "what"),
    ],
)
def test_a_duplicate_column_is_named(long, file, header, column):
    table = long.people if file == "people.csv" else long.events
    for row in table[1:]:
        row.append("8")
    table[0] = header
    long.refused(file, f'column "{column}"', "two columns", "Rename one of them")


def test_a_column_with_two_roles_is_named(wide):
    wide.replace('features = ["height", ', 'features = ["height", "age", ')
    wide.refused("spec.toml", 'column "age"', "Give every column one role")


# --- people and events that do not fit ------------------------------------------------------------------------------------


def test_a_duplicate_person_is_refused_at_the_row(data):
    data.people[9][0] = data.people[4][0]
    data.refused("people.csv, row 4", 'column "id"', "occurs again", "Keep one row per person")


def test_a_missing_id_is_refused_at_the_row(data):
    data.people[9][0] = ""
    data.refused("people.csv, row 9", 'column "id"', "the id is missing")


def test_events_of_unknown_people_are_refused_at_the_row_or_counted(long):
    long.events.insert(8, [f"{MARK}-nobody", "x", 3])
    long.events.append([f"{MARK}-nobody", "y", 3])
    long.refused(
        "events.csv, row 8", 'column "who"', "not in the people table (2 events", 'events.unknown_people = "leave-out"'
    )
    fitted = long.works("--events.unknown_people", "leave-out")
    assert 2 in numbers_of(fitted, "unknown")


def numbers_of(fitted, part):
    """The counts of a JSON answer whose key has this part."""
    found = []

    def walk(node):
        for key, value in node.items():
            if isinstance(value, dict):
                walk(value)
            elif part in key:
                found.append(value)

    walk(fitted)
    return found


def test_people_without_events_are_refused_or_counted(long):
    silent = {long.people[3][0], long.people[17][0]}
    long.events = [row for row in long.events if row[0] not in silent]
    long.refused("2 people have no events", 'people.without_events = "leave-out"')
    fitted = long.works("--people.without_events", "leave-out")
    assert 2 in numbers_of(fitted, "without_events")
    assert sum(group["people"] for group in fitted["groups"]) == 58


def test_what_was_left_out_is_told_in_text_too(long):
    silent = long.people[3][0]
    long.events = [row for row in long.events if row[0] != silent]
    fitted = long.fit("--people.without_events", "leave-out")
    assert fitted.code == 0, fitted.err
    assert re.search(r"\b1 (person|people)\b.*(event|left out)", fitted.out), fitted.out
    assert MARK not in fitted.out


def test_people_outside_the_kept_range_are_counted(long):
    fitted = long.works("--secret.keep", "20,27")
    assert 12 in numbers_of(fitted, "outside")
    assert sum(group["people"] for group in fitted["groups"]) == 48


def test_a_repeated_event_with_a_value_is_refused_or_merged(long):
    long.events.append(long.events[1])
    long.refused("events.csv", "another event of this item", "events.repeated")
    long.works("--events.repeated", "mean")


# --- cells ---------------------------------------------------------------------------------------------------------------


def test_a_secret_that_is_not_a_number_is_refused_at_the_row(data):
    data.people[9][1] = data.people[12][1] = MARK
    data.refused("people.csv, row 9", 'column "age"', "expected a number (2 cells", "Correct the cells")


def test_a_missing_secret_is_refused_at_the_row_or_counted(data):
    data.people[9][1] = data.people[12][1] = ""
    data.refused("people.csv, row 9", 'column "age"', "the secret is missing (2 people", 'secret.missing = "leave-out"')
    fitted = data.works("--secret.missing", "leave-out")
    assert 2 in numbers_of(fitted, "without_secret")


@pytest.mark.parametrize("cell", ["nan", "NaN", "inf", "-inf", "Infinity", "1e999"])
def test_a_secret_must_be_finite(data, cell):
    data.people[9][1] = cell
    data.refused("people.csv, row 9", 'column "age"', "expected a")


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e999"])
def test_a_feature_must_be_finite(wide, cell):
    wide.people[9][3] = cell
    wide.refused("people.csv, row 9", 'column "steps"', "expected a")


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e999"])
def test_the_value_of_an_event_must_be_finite(long, cell):
    long.events[9][2] = cell
    long.refused("events.csv, row 9", 'column "stars"', "expected a")


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf"])
def test_numbers_of_a_query_must_be_finite_too(data, cell):
    odd = f"CASE WHEN age = 27 THEN '{cell}'::DOUBLE ELSE age END AS age"
    data.replace('file = "people.csv"', f"query = \"SELECT * REPLACE ({odd}) FROM read_csv('people.csv')\"")
    data.refused("people.query, row 8", 'column "age"', "expected a finite number")


def test_a_value_that_is_not_a_number_is_refused_at_the_row(long):
    long.events[9][2] = MARK
    long.refused("events.csv, row 9", 'column "stars"', "expected a number (1 cell")


def test_a_feature_that_is_sometimes_not_a_number_does_not_fail_silently(wide):
    wide.people[9][3] = MARK
    fitted = wide.fit()
    assert fitted.code in (0, 2)  # a column of words is a category
    assert MARK not in fitted.out + fitted.err


@pytest.mark.parametrize("column", [0, 1, 2])
def test_an_event_with_an_empty_cell_is_refused_at_the_row_or_counted(long, column):
    long.events[9][column] = ""
    long.refused("events.csv, row 9", "empty cell (1 event", 'events.missing = "leave-out"')
    assert 1 in numbers_of(long.works("--events.missing", "leave-out"), "incomplete")


def test_an_empty_feature_is_refused_at_the_row_or_declared(wide):
    wide.people[9][3] = ""
    wide.refused("people.csv, row 9", 'column "steps"', "the cell is empty", "people.missing")
    for meaning in ("zero", "mean", "category"):
        wide.works("--people.missing", meaning)
    assert 1 in numbers_of(wide.works("--people.missing", "leave-out"), "incomplete")


def test_a_negative_value_with_jensen_shannon_is_refused_at_the_row_of_the_people(wide):
    wide.people[9][3] = -3
    wide.refused("people.csv, row 9", "negative", "distance")
    wide.works("--channel.distance", "squared-euclidean")


def test_a_negative_event_with_jensen_shannon_is_refused(long):
    long.events[9][2] = -3
    long.refused("events.csv, row 9", 'column "stars"', "negative", "distance")
    long.works("--channel.distance", "squared-euclidean")


def test_an_all_zero_row_with_jensen_shannon_is_refused_at_the_row_of_the_people(wide):
    wide.replace(', "town"]', "]")
    wide.people[9][2:4] = [0, 0]
    text = wide.refused("people.csv, row 9", "Jensen-Shannon", "another distance")
    assert "zero" in text or "no positive" in text, text


def test_a_person_whose_events_are_all_zero_has_none(long):
    for row in long.events[1:]:
        if row[0] == long.people[9][0]:
            row[2] = 0
    long.refused("1 person has no events, or only zeros", "leave-out")


# --- too little ----------------------------------------------------------------------------------------------------------


def keep_people(data, people):
    data.people = data.people[: people + 1]
    known = {row[0] for row in data.people} | {"who"}
    data.events = [row for row in data.events if row[0] in known]
    return data


def test_one_person_is_refused(data):
    keep_people(data, 1).refused("only one person")


def test_one_value_is_refused(data):
    for row in data.people[1:]:
        row[1] = 33
    data.refused("same secret")


def test_nobody_in_the_kept_range_is_refused(data):
    data.refused("nobody is left", "secret.keep", flags=["--secret.keep", "80,90"])


def test_fewer_people_than_clusters_are_refused_with_a_number_that_works(data):
    text = keep_people(data, 20).refused("21", "clusters", "20", flags=["--clusters", 21, "--groups.people", "2,20"])
    largest = re.search(r"Lower \S*clusters to (?:at most )?(\d+)", text)[1]
    data.works("--clusters", largest, "--groups.people", "2,20")


def test_fewer_distinct_rows_than_clusters_are_refused_with_a_number_that_works(wide):
    for n, row in enumerate(wide.people[1:]):
        row[2:] = [5 + n % 2, 9, "here"]
    text = wide.refused("3 clusters", "2 distinct rows", "Lower")
    wide.works("--clusters", re.search(r"Lower \S*clusters to (?:at most )?(\d+)", text)[1])


# --- constraints -----------------------------------------------------------------------------------------------------------


def limit_flags(count, people, values):
    return ["--groups.count", count, "--groups.people", people, "--groups.values", values]


def proposals(text):
    """The settings of a message, as flags."""
    found = re.findall(r"count = (\d+), people = \[([\d., ]+)\], values = \[([\d., ]+)\]", text)
    assert found, text
    return [limit_flags(*one) for one in found]


@pytest.mark.parametrize(
    "count, people, values",
    [
        (2, "61,99", "1,10"),  # k > people
        (2, "31,60", "1,10"),  # two groups of 31 are more than there are
        (4, "5,10", "1,10"),  # alpha too small for the number of groups
        (2, "1,60", "1,4"),  # beta too small
        (2, "1,60", "6,10"),  # l too large
        (3, "19,21", "1,10"),  # steps of six people a value
        (40, "1,60", "1,10"),  # more groups than values
        (2, "1,60", "11,20"),  # more values than there are
    ],
)
def test_constraints_that_no_grouping_meets_come_with_settings_that_work(long, count, people, values):
    text = long.refused(
        "spec.toml, [groups]", "no grouping meets the limits", "that work", flags=limit_flags(count, people, values)
    )
    for flags in proposals(text):
        fitted = long.works(*flags)
        low, high = (float(x) for x in flags[3].split(","))
        assert all(low <= group["people"] <= high for group in fitted["groups"]), flags
        assert len(fitted["groups"]) == int(flags[1])


def test_limits_without_a_count_come_with_settings_that_work(long):
    long.replace("count = 2\n", "")
    text = long.refused("[groups]", flags=["--groups.people", "19,21", "--groups.values", "1,10"])
    for flags in proposals(text):
        long.works(*flags)


def test_infeasible_limits_of_synthetic_people_come_with_settings_that_work(hyobscure, people, tmp_path):
    asked = limit_flags(4, "95,100", "4,8")
    both = [
        hyobscure("fit", people / "spec.toml", "-o", tmp_path / "m.json", *asked, *flag) for flag in ([], ["--json"])
    ]
    for flags in proposals(refused(*both, "no grouping meets the limits")):
        fitted = hyobscure("fit", people / "spec.toml", "-o", tmp_path / "m.json", *flags, "--force")
        assert fitted.code == 0, fitted.err


def test_a_value_with_more_people_than_alpha_is_named(long):
    for row in long.people[1:]:
        row[1] = 23 if row[1] in (23, 24, 25, 26) else row[1]
    text = long.refused("no grouping", flags=limit_flags(3, "5,20", "1,10"))
    assert re.search(r"\b23\b", text) and re.search(r"\b24 people\b", text), text
    for flags in proposals(text):
        long.works(*flags)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_values_that_fit_into_no_group_are_named(long, count):
    """21 has 5 people, too few alone and too many with either neighbour."""
    for row, age in zip(long.people[1:], [20] * 28 + [21] * 5 + [22] * 27):
        row[1] = age
    text = long.refused("no grouping", flags=limit_flags(count, "10,31", "1,10"))
    if count == 2:
        assert re.search(r"\b2[0-2]\b", text.split("that work")[0].split("[groups]")[1]), text
    for flags in proposals(text):
        long.works(*flags)


@pytest.mark.parametrize(
    "fixed", ["[[20, 24], [27, 29]]", "[[20, 22], [23, 26]]", "[[20, 20], [21, 29]]", "[[0, 9], [20, 29]]"]
)
def test_given_groups_that_miss_people_or_limits_are_refused(long, fixed):
    long.refused("groups.fixed", "Correct the ranges", flags=["--groups.fixed", fixed])


def test_missing_limits_are_named(long):
    long.replace("people = [5, 55]\n", "")
    long.refused("spec.toml", "groups.people", "hyobscure inspect")


def test_a_missing_budget_is_named(long):
    long.replace("budget_share = 0.5\n", "")
    long.refused("spec.toml", "channel.budget is not given", "hyobscure inspect")


@pytest.mark.parametrize("method", ["xobf", "hyobscure"])
def test_a_budget_below_the_reachable_minimum_says_the_minimum(long, method):
    long.replace("budget_share = 0.5", "budget = 0.001")
    text = long.refused("channel.budget", "0.001 is below", "Raise the budget", flags=["--method", method])
    smallest = float(re.search(r"0\.001 is below ([0-9.e-]+)[, ]", text)[1])
    assert long.works("--method", method, "--budget", f"{smallest + 1e-6:.9f}")["distance"] <= smallest + 1.001e-6
    long.works("--method", method, "--budget", smallest)  # the very number that the message says
    assert long.fit("--method", method, "--budget", f"{smallest - 2e-6:.9f}").code == 2


def test_a_zero_budget_says_the_minimum_of_synthetic_people(hyobscure, people, tmp_path):
    spec = (people / "spec.toml").read_text().replace("budget_share = 0.7", "budget = 0")
    for table in ("people.csv", "events.csv"):
        spec = spec.replace(f'"{table}"', f'"{people / table}"')
    (tmp_path / "spec.toml").write_text(spec)
    asked = hyobscure("fit", tmp_path / "spec.toml", "-o", tmp_path / "m.json")
    assert asked.code == 2
    smallest = float(re.search(r"is below ([0-9.e-]+)[, ]", asked.err)[1])
    fitted = hyobscure(
        "fit", tmp_path / "spec.toml", "-o", tmp_path / "m.json", "--method", "xobf", "--budget", smallest + 1e-6
    )
    assert fitted.usable, fitted.err


def test_a_budget_given_as_a_flag_takes_the_place_of_a_share_in_the_spec(long):
    """`hyobscure fit --help` shows --budget as its example, and synth writes budget_share."""
    assert long.works("--budget", 5)["budget"] == 5


# --- bytes -----------------------------------------------------------------------------------------------------------------

NOISE = random.Random(7).randbytes(20_000)


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_invalid_utf8_is_refused(long, file):
    table = as_csv(long.people if file == "people.csv" else long.events)
    long.files[file] = table.replace(b"zebra4711", b"zeb\xff\xfera4711", 1)
    long.refused(file, "UTF-8")


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_latin_letters_late_in_a_file_are_refused(long, file):
    table = as_csv(long.people if file == "people.csv" else long.events)
    cut = table.rindex(b"zebra4711")
    long.files[file] = table[:cut] + b"M\xfcller" + table[cut:]
    long.refused(file, "UTF-8")


@pytest.mark.parametrize("section, file", [("people", "people.csv"), ("events", "events.csv")])
@pytest.mark.parametrize("real, told", [(";", "|"), (",", ";"), ("\t", ",")])
def test_a_wrong_delimiter_is_refused_and_thought_of(long, section, file, real, told):
    long.files[file] = as_csv(long.people if section == "people" else long.events, real)
    long.refused(file, "delimiter", flags=[f"--{section}.delimiter", told])


@pytest.mark.parametrize("section, file", [("people", "people.csv"), ("events", "events.csv")])
@pytest.mark.parametrize("name", ["noise.csv", "noise.csv.gz", "noise.csv.zst", "noise.parquet", "noise.jsonl"])
def test_binary_garbage_is_refused(long, section, file, name):
    long.files[name] = NOISE
    long.replace(f'file = "{file}"', f'file = "{name}"')
    long.refused(name)


def test_garbage_in_place_of_a_database_is_refused(long):
    long.files["noise.duckdb"] = NOISE
    long.replace('file = "people.csv"', 'file = "noise.duckdb"\ntable = "people"')
    long.write()
    both = [long.fit(*flag) for flag in ([], ["--json"])]
    assert [one.code for one in both] == [2, 2]
    assert "noise.duckdb" in both[0].err and both[1].json["error"]["remedy"]


@pytest.mark.parametrize("section, file", [("people", "people.csv"), ("events", "events.csv")])
def test_zero_bytes_in_a_csv_file_are_refused_or_harmless(long, section, file):
    table = as_csv(long.people if section == "people" else long.events)
    long.files[file] = table[:200] + b"\0" * 50 + table[200:]
    done = long.fit()
    assert done.code in (0, 2), done.err
    assert MARK not in done.err


@pytest.mark.parametrize("section", ["people", "events"])
@pytest.mark.parametrize(
    "line",
    [f'"{MARK},1,2', f"{MARK},1,2,3,4,5,6", MARK, f'{MARK}"x"y,"1'],
    ids=["open-quote", "many-cells", "one-cell", "odd-quotes"],
)
def test_a_broken_line_is_refused_without_being_shown(long, section, line):
    table = as_csv(long.people if section == "people" else long.events).splitlines(keepends=True)
    table.insert(30, line.encode() + b"\n")
    long.files[f"{section}.csv"] = b"".join(table)
    long.refused(f"{section}.csv")


def zstd(content):
    """One frame of uncompressed blocks: enough for a reader."""
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(content))
    pieces = [content[i : i + 1000] for i in range(0, len(content), 1000)]
    for n, piece in enumerate(pieces):
        frame += struct.pack("<I", (len(piece) << 3) | (n == len(pieces) - 1))[:3] + piece
    return frame


@pytest.mark.parametrize("section", ["people", "events"])
@pytest.mark.parametrize("ending, pack", [("gz", gzip.compress), ("zst", zstd)], ids=["gzip", "zstd"])
def test_a_compressed_file_that_is_cut_off_is_refused(long, section, ending, pack):
    name = f"{section}.csv.{ending}"
    whole = pack(as_csv(long.people if section == "people" else long.events))
    long.replace(f'"{section}.csv"', f'"{name}"')
    long.files[name] = whole
    long.works()
    for end in (1, 3, 10, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        long.files[name] = whole[:end]
        long.refused(name, "cut off or damaged")
    long.files[name] = b""
    long.refused(name, "empty")


def test_a_damaged_gzip_file_is_refused(long):
    whole = bytearray(gzip.compress(as_csv(long.events)))
    whole[len(whole) // 2] ^= 0xFF
    long.replace('"events.csv"', '"events.csv.gz"')
    long.files["events.csv.gz"] = bytes(whole)
    long.refused("events.csv.gz", "damaged")


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    from conftest import run

    folder = tmp_path_factory.mktemp("parquet") / "data"
    made = run("synth", "--people", 200, "--items", 50, "--entries", 20, "--format", "parquet", "-o", folder)
    assert made.code == 0, made.err
    return folder


@pytest.mark.parametrize("section", ["people", "events"])
def test_a_parquet_file_that_is_cut_off_is_refused(hyobscure, parquet, tmp_path, section):
    shutil.copytree(parquet, tmp_path / "d")
    whole = (parquet / f"{section}.parquet").read_bytes()
    for end in (0, 3, 4, 50, len(whole) // 2, len(whole) - 4, len(whole) - 1):
        (tmp_path / "d" / f"{section}.parquet").write_bytes(whole[:end])
        both = [
            hyobscure("fit", tmp_path / "d" / "spec.toml", "-o", tmp_path / "m.json", *flag)
            for flag in ([], ["--json"])
        ]
        refused(*both, f"{section}.parquet")
        assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize("section", ["people", "events"])
def test_a_parquet_file_with_damage_inside_is_refused_or_read(hyobscure, parquet, tmp_path, section):
    """Flipped bytes never crash the program and never are called our fault."""
    shutil.copytree(parquet, tmp_path / "d")
    whole = (parquet / f"{section}.parquet").read_bytes()
    chance = random.Random(3)
    for _ in range(8):
        damaged = bytearray(whole)
        for _ in range(20):
            damaged[chance.randrange(4, len(whole))] ^= 1 << chance.randrange(8)
        (tmp_path / "d" / f"{section}.parquet").write_bytes(damaged)
        done = hyobscure("fit", tmp_path / "d" / "spec.toml", "-o", tmp_path / "m.json", "--force")
        assert done.code in (0, 2), (done.code, done.err)


@pytest.mark.parametrize(
    "broken", ['{"id": "' + MARK, '{"id": 1, "age"}', MARK, "[1, 2", '{"id": "' + MARK + '", "age": {"x": 1}}']
)
def test_broken_json_lines_are_refused(long, broken):
    lines = [json.dumps({"id": row[0], "age": row[1]}) for row in long.people[1:]]
    long.files["people.jsonl"] = "\n".join(lines[:20] + [broken] + lines[20:]) + "\n"
    long.replace('"people.csv"', '"people.jsonl"')
    long.refused("people.jsonl")


def test_whole_json_lines_are_read(long):
    long.files["people.jsonl"] = "".join(json.dumps({"id": row[0], "age": row[1]}) + "\n" for row in long.people[1:])
    long.replace('"people.csv"', '"people.jsonl"')
    long.works()


# --- the spec --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('id = "id"', "id = ", ["spec.toml, line 3", "TOML"]),
        ("[people]", "[people", ["spec.toml, line 1", "TOML"]),
        ('id = "id"', 'id = "id"\nid = "id"', ["spec.toml, line 4", "TOML"]),
        (
            'secret = "age"',
            'secrets = "age"',
            ["spec.toml, line 4", '"people.secrets"', 'Did you mean "people.secret"?'],
        ),
        ("[channel]", "[chanel]", ["spec.toml, line 14", '"chanel"', "channel"]),
        (
            "clusters = 3",
            'clusters = "three"',
            ["spec.toml, line 15", 'channel.clusters: expected "auto" or whole number from 1 to 1000'],
        ),
        ("clusters = 3", "clusters = 0", ["line 15", "channel.clusters", "from 1 to 1000"]),
        ("clusters = 3", "clusters = 2.5", ["line 15", "channel.clusters"]),
        ("budget_share = 0.5", "budget = -1", ["line 17", "channel.budget", "at least 0"]),
        ("budget_share = 0.5", "budget = nan", ["line 17", "channel.budget"]),
        ("budget_share = 0.5", "budget_share = 1.5", ["line 17", "channel.budget_share", "from 0 to 1"]),
        ('"jensen-shannon"', '"manhattan"', ["line 16", "channel.distance", '"jensen-shannon"']),
        ("people = [5, 55]", "people = [55, 5]", ["line 12", "groups.people", "from low to high"]),
        ("people = [5, 55]", "people = 5", ["line 12", "groups.people", "from low to high"]),
        ("people = [5, 55]", "people = [0, 5]", ["line 12", "groups.people", "at least 1"]),
        ('id = "id"', "id = 7", ["line 3", "people.id", "text"]),
        ('file = "people.csv"', 'file = "people.csv"\nheader = "no"', ["line 3", "people.header", "true or false"]),
        ('file = "people.csv"\n', "", ["[people] names neither a file nor a query"]),
        ('id = "id"\n', "", ["people.id is not given"]),
        ('person = "who"\n', "", ["[events] needs person and item"]),
        # contradictions
        (
            'file = "people.csv"',
            'file = "people.csv"\nquery = "SELECT 1"',
            ["[people] has both a file and a query", "Keep one"],
        ),
        (
            "budget_share = 0.5",
            "budget_share = 0.5\nbudget = 0.4",
            ["channel.budget", "channel.budget_share", "Keep one"],
        ),
        ('secret = "age"', 'secret = "age"\nfeatures = ["x"]', ["people.features and [events]", "Keep one"]),
        ('secret = "age"', 'secret = "id"', ['column "id"', "one role"]),
        (
            "count = 2",
            "count = 2\nfixed = [[20, 22], [23, 25], [26, 29]]",
            ["groups.count differs", "Leave groups.count out"],
        ),
        ("count = 2", "count = 2\nfixed = [[20, 25], [23, 29]]", ["groups.fixed overlap"]),
    ],
)
def test_a_faulty_spec_is_refused_at_the_key(long, old, new, words):
    long.replace(old, new)
    long.refused("spec.toml", *words)


@pytest.mark.parametrize("content", [NOISE, b"\xff\xfe[people]\n", b"just a sentence\n", b"", b"\0" * 100])
def test_a_spec_that_is_not_a_spec_is_refused(long, content):
    long.files["spec.toml"] = content
    long.refused("spec.toml")


@pytest.mark.parametrize(
    "flags, words",
    [
        (["--channel.clusters", "three"], ["channel.clusters"]),
        (["--groups.people", "55,5"], ["groups.people"]),
        (["--method", "magic"], ["--method", "hyobscure"]),
        (["--budget", "cheap"], ["--budget"]),
        (["--method.seed", "-4"], ["method.seed"]),
    ],
)
def test_a_faulty_flag_is_named_as_the_user_wrote_it(long, flags, words):
    long.refused(*words, flags=flags)


@pytest.mark.parametrize("flags", [["--no-such-flag"], ["--channel.bugdet", "3"], ["--threads", "many"]])
def test_wrong_usage_is_one_json_object_too(long, flags):
    done = long.fit("--json", *flags)
    assert done.code == 2
    assert done.json["error"]["problem"] and done.json["error"]["remedy"]


# --- queries ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query, words",
    [
        ("DROP TABLE people", []),
        ("CREATE TABLE t AS SELECT 1 AS id, 2 AS age", ["not a SELECT"]),
        ("COPY (SELECT 1 AS id) TO 'stolen.csv'", ["not a SELECT"]),
        ("ATTACH 'stolen.duckdb' AS s", ["not a SELECT"]),
        ("SET threads = 1", ["not a SELECT"]),
        ("SELECT 1 AS id, 2 AS age; COPY (SELECT 1) TO 'stolen.csv'", ["more than one statement"]),
        ("", ["people"]),
        (";", []),
        ("SELEC id FROM 'people.csv'", ["syntax error"]),
        ("SELECT id, age FROM 'people.csv' WHERE", ["syntax error"]),
        ("SELECT id, aged AS age FROM 'people.csv'", ["aged"]),
        ("SELECT nonesuch(id) AS id, age FROM 'people.csv'", ["nonesuch"]),
        ("SELECT * FROM nonesuch", ["nonesuch"]),
        ("SELECT * FROM 'nobody.csv'", ["nobody.csv"]),
        ("SELECT CAST(id AS INTEGER) AS id, age FROM 'people.csv'", []),
        ("SELECT error(id) AS id, age FROM 'people.csv'", []),
        ("SELECT id, strptime(id, '%Y') AS age FROM 'people.csv'", []),
        ("SELECT id, (SELECT id FROM 'people.csv')::INTEGER AS age FROM 'people.csv'", []),
        ("SELECT * FROM read_csv('people.csv', types = {'id': 'INTEGER'})", []),
        ("SELECT id, age, age + 1 AS age FROM 'people.csv'", ['column "age"', "two columns"]),
        ("SELECT * FROM read_csv('https://localhost:1/people.csv')", []),
    ],
)
def test_a_query_that_cannot_be_used_is_refused(long, query, words):
    long.replace('file = "people.csv"', f"query = {json.dumps(query)}")
    long.refused("people", *words)
    assert not list(long.folder.parent.rglob("stolen*"))


def test_the_query_of_events_is_named_as_such(long):
    long.replace(
        'file = "events.csv"', "query = \"SELECT who, what, CAST(what AS INTEGER) AS stars FROM 'events.csv'\""
    )
    long.refused("events.query")


# --- mechanisms --------------------------------------------------------------------------------------------------------------


def publish(hyobscure, spec, mechanism, folder, *words):
    """publish says no; nothing is written."""
    before = sorted(folder.iterdir())
    both = [hyobscure("publish", spec, "-m", mechanism, "-o", folder / "r", *flag) for flag in ([], ["--json"])]
    text = refused(*both, *words)
    assert sorted(folder.iterdir()) == before
    return text


@pytest.mark.parametrize("version", [0, 1, 99, "2", None])
def test_a_mechanism_of_another_format_is_refused(hyobscure, people, mechanism, tmp_path, version):
    other = json.loads(mechanism.read_text())
    other["format"] = version
    (tmp_path / "m.json").write_text(json.dumps(other))
    publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "m.json", "format", "fit again")


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"null", b"not JSON", b'{"kind": "hyobscure mechanism"}', NOISE, b"[" * 100_000]
)
def test_a_mechanism_that_is_none_is_refused(hyobscure, people, tmp_path, content):
    (tmp_path / "m.json").write_bytes(content)
    publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "m.json", "not a mechanism")


def test_a_manifest_is_not_a_mechanism(hyobscure, people, release, tmp_path):
    publish(hyobscure, people / "spec.toml", release / "manifest.json", tmp_path, "manifest.json", "not a mechanism")


def test_a_mechanism_that_is_cut_off_is_refused(hyobscure, people, mechanism, tmp_path):
    whole = mechanism.read_bytes()
    for end in (1, len(whole) // 3, len(whole) - 3):
        (tmp_path / "m.json").write_bytes(whole[:end])
        publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "m.json", "damaged")


@pytest.mark.parametrize("key", ["method", "distance", "data_fingerprint", "key", "limits", "groups", "channels"])
@pytest.mark.parametrize("spoil", ["absent", None, [], -1])
def test_a_mechanism_without_one_of_its_parts_is_refused(hyobscure, people, mechanism, tmp_path, key, spoil):
    spoilt = {**json.loads(mechanism.read_text()), key: spoil}
    if spoil == "absent":
        del spoilt[key]
    (tmp_path / "m.json").write_text(json.dumps(spoilt))
    asked = hyobscure("publish", people / "spec.toml", "-m", tmp_path / "m.json", "-o", tmp_path / "r")
    assert asked.code == 2, asked.err
    assert "mechanism" in asked.err and "fit" in asked.err
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.parametrize("spoil", ["probability", "cluster", "size", "order"])
def test_a_mechanism_whose_numbers_do_not_fit_is_refused(hyobscure, people, mechanism, tmp_path, spoil):
    other = json.loads(mechanism.read_text())
    first = other["channels"][0]
    if spoil == "probability":
        first["rows"][0][0][1] = 1.7
    elif spoil == "cluster":
        first["rows"][0][0][0] = 9999
    elif spoil == "size":
        other["groups"][0]["people"] += 1
    else:
        other["groups"].reverse()
    (tmp_path / "m.json").write_text(json.dumps(other))
    publish(hyobscure, people / "spec.toml", tmp_path / "m.json", tmp_path, "mechanism")


def test_a_mechanism_made_for_other_people_is_refused(hyobscure, mechanism, tmp_path):
    others = tmp_path / "others"
    assert (
        hyobscure(
            "synth", "--people", 400, "--items", 200, "--entries", 30, "--dependence", 0.8, "--seed", 2, "-o", others
        ).code
        == 0
    )
    publish(hyobscure, others / "spec.toml", mechanism, tmp_path, str(mechanism), "made for other data", "fit again")


@pytest.mark.parametrize("change", ["secret", "value", "id", "order"])
def test_a_mechanism_notices_that_one_cell_changed(hyobscure, people, mechanism, tmp_path, change):
    shutil.copytree(people, tmp_path / "d")
    file = tmp_path / "d" / ("events.csv" if change == "value" else "people.csv")
    lines = file.read_text().splitlines()
    if change == "order":  # the order of rows is no difference
        file.write_text("\n".join(lines[:1] + lines[:0:-1]) + "\n")
        assert hyobscure("publish", tmp_path / "d" / "spec.toml", "-m", mechanism, "-o", tmp_path / "r").code == 0
        return
    cells = lines[5].split(",")
    if change == "id":
        events = tmp_path / "d" / "events.csv"
        events.write_text(events.read_text().replace(cells[0] + ",", cells[0] + "x,"))
        cells[0] += "x"
    else:
        cells[-1] = str(int(cells[-1]) % 5 + 1) if change == "value" else str(int(cells[-1]) + 1)
    lines[5] = ",".join(cells)
    file.write_text("\n".join(lines) + "\n")
    publish(hyobscure, tmp_path / "d" / "spec.toml", mechanism, tmp_path, "made for other data")


# --- outputs that exist ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["fit", "publish", "synth", "demo"])
@pytest.mark.parametrize("existing", ["file", "folder", "empty-folder"])
def test_an_existing_output_is_kept_without_force(hyobscure, people, mechanism, tmp_path, command, existing):
    taken = tmp_path / "taken"
    if existing == "file":
        taken.write_text("precious")
    else:
        taken.mkdir()
        if existing == "folder":
            (taken / "diary.txt").write_text("precious")
    before = sorted((path, path.read_text() if path.is_file() else "") for path in tmp_path.rglob("*"))
    arguments = {
        "fit": [people / "spec.toml"],
        "publish": [people / "spec.toml", "-m", mechanism],
        "synth": ["--people", 100],
        "demo": ["--people", 200],
    }[command]
    both = [hyobscure(command, *arguments, "-o", taken, *flag) for flag in ([], ["--json"])]
    words = ["this is a folder"] if command == "fit" and existing != "file" else ["exists already", "--force"]
    refused(*both, "taken", *words)
    assert sorted((path, path.read_text() if path.is_file() else "") for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("command", ["fit", "publish", "synth", "demo"])
def test_force_does_not_delete_a_folder_that_is_not_ours(hyobscure, people, mechanism, tmp_path, command):
    taken = tmp_path / "home"
    taken.mkdir()
    (taken / "diary.txt").write_text("precious")
    arguments = {
        "fit": [people / "spec.toml"],
        "publish": [people / "spec.toml", "-m", mechanism],
        "synth": ["--people", 100],
        "demo": ["--people", 200],
    }[command]
    both = [hyobscure(command, *arguments, "-o", taken, "--force", *flag) for flag in ([], ["--json"])]
    assert (taken / "diary.txt").exists()
    refused(*both, "home")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_force_replaces_what_the_same_command_wrote(hyobscure, people, mechanism, tmp_path):
    for _ in range(2):
        assert hyobscure("fit", people / "spec.toml", "-o", tmp_path / "m", "--force").code == 0
        assert hyobscure("publish", people / "spec.toml", "-m", mechanism, "-o", tmp_path / "r", "--force").code == 0
        assert hyobscure("synth", "--people", 100, "-o", tmp_path / "d", "--force").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "m", "r"]


# --- releases ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(release, tmp_path):
    return shutil.copytree(release, tmp_path / "release")


def not_verified(hyobscure, folder, *words):
    plain, machine = (hyobscure("verify", folder, *flag) for flag in ([], ["--json"]))
    said = plain.out + plain.err
    assert plain.code == 2, said
    for word in words:
        assert word in said, said
    assert machine.code == 2
    answer = machine.json
    assert "error" in answer or answer["passed"] is False
    for word in words:
        assert word in machine.out
    assert MARK not in said + machine.out + machine.err
    return said


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_verify_names_the_file_that_was_edited(hyobscure, copied, file):
    content = (copied / file).read_text()
    for edited in (
        content + "\n",
        content[:-1],
        content.replace("1", "2", 1),
        content.replace("\n", "\r\n"),
        content[: len(content) // 2],
    ):
        (copied / file).write_text(edited, newline="")
        not_verified(hyobscure, copied, file)


def leaves(node, path=()):
    """The paths to all numbers, texts and flags of a JSON document."""
    if isinstance(node, (dict, list)):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from leaves(value, (*path, key))
    else:
        yield path


def edited(value):
    return (not value) if isinstance(value, bool) else value + "x" if isinstance(value, str) else (value or 0) + 1


def test_verify_notices_every_edit_of_the_manifest(hyobscure, copied):
    text = (copied / "manifest.json").read_text()
    for path in leaves(json.loads(text)):
        manifest = json.loads(text)
        node = manifest
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = edited(node[path[-1]])
        (copied / "manifest.json").write_text(json.dumps(manifest, indent=2))
        asked = hyobscure("verify", copied)
        assert asked.code == 2 and "manifest" in asked.out + asked.err, (path, asked.out, asked.err)
    for cut in (text[: len(text) // 2], text[1:], text.rstrip()[:-1]):
        (copied / "manifest.json").write_text(cut)
        not_verified(hyobscure, copied, "manifest.json")


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
def test_verify_names_the_file_and_quotes_no_cell(hyobscure, copied, file):
    lines = (copied / file).read_text().splitlines()
    for column in range(lines[3].count(",") + 1):
        cells = lines[3].split(",")
        cells[column] = MARK
        (copied / file).write_text("\n".join(lines[:3] + [",".join(cells)] + lines[4:]) + "\n")
        not_verified(hyobscure, copied, file)


@pytest.mark.parametrize("file", ["people.csv", "events.csv"])
@pytest.mark.parametrize(
    "content", [b"", NOISE, b"a,b\n1,2\n", MARK.encode() + b"\n"], ids=["empty", "noise", "other", "word"]
)
def test_verify_names_a_file_that_was_replaced(hyobscure, copied, file, content):
    (copied / file).write_bytes(content)
    not_verified(hyobscure, copied, file)


@pytest.mark.parametrize("file", ["people.csv", "events.csv", "manifest.json"])
def test_verify_names_a_file_that_was_removed(hyobscure, copied, file):
    (copied / file).unlink()
    not_verified(hyobscure, copied, file)


def test_verify_names_a_file_that_was_added(hyobscure, copied):
    (copied / "notes.txt").write_text(MARK)
    not_verified(hyobscure, copied, "notes.txt")


def test_verify_names_a_folder_and_a_hidden_file_that_were_added(hyobscure, copied):
    (copied / "more").mkdir()
    not_verified(hyobscure, copied, "more")
    (copied / "more").rmdir()
    (copied / ".hidden").write_text("x")
    not_verified(hyobscure, copied, ".hidden")


def test_verify_notices_an_edit_that_was_given_a_new_hash(hyobscure, copied):
    """A person was moved to another group and the new hash is in the manifest: the seal shows it."""
    import hashlib

    manifest = json.loads((copied / "manifest.json").read_text())
    labels = [group["label"] for group in manifest["groups"]]
    text = (copied / "people.csv").read_text()
    text = text.replace(labels[0], labels[1], 1)
    (copied / "people.csv").write_text(text)
    manifest["files"][0]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (copied / "manifest.json").write_text(json.dumps(manifest, indent=2))
    not_verified(hyobscure, copied, "manifest")


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"null", b"not JSON", NOISE, b"[" * 100_000])
def test_verify_refuses_a_manifest_that_is_none(hyobscure, copied, content):
    (copied / "manifest.json").write_bytes(content)
    both = [hyobscure("verify", copied, *flag) for flag in ([], ["--json"])]
    refused(*both, "manifest.json", "publish")


@pytest.mark.parametrize("key", ["kind", "format", "shape", "columns", "files", "constraints", "groups", "seal"])
@pytest.mark.parametrize("spoil", ["absent", None, []])
def test_verify_refuses_a_manifest_with_a_spoilt_part(hyobscure, copied, key, spoil):
    spoilt = {**json.loads((copied / "manifest.json").read_text()), key: spoil}
    if spoil == "absent":
        del spoilt[key]
    (copied / "manifest.json").write_text(json.dumps(spoilt))
    not_verified(hyobscure, copied, "manifest")


@pytest.mark.parametrize("name", ["../people.csv", "/etc/passwd", "manifest.json", "x/../people.csv"])
def test_verify_reads_no_file_outside_the_release(hyobscure, copied, name):
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["files"][0]["name"] = name
    shutil.copy(copied / "people.csv", copied.parent / "people.csv")
    (copied / "manifest.json").write_text(json.dumps(manifest))
    not_verified(hyobscure, copied, "manifest")


@pytest.mark.parametrize("what", ["missing", "empty", "file", "data"])
def test_verify_refuses_what_is_not_a_release(hyobscure, people, tmp_path, what):
    folder = tmp_path / "folder"
    if what == "empty":
        folder.mkdir()
    elif what == "file":
        folder.write_text("x")
    elif what == "data":
        folder = people
    both = [hyobscure("verify", folder, *flag) for flag in ([], ["--json"])]
    refused(*both, folder.name, "publish")


def test_verify_against_other_people_fails(hyobscure, release, tmp_path):
    others = tmp_path / "others"
    assert hyobscure("synth", "--people", 400, "--items", 200, "--entries", 30, "--seed", 2, "-o", others).code == 0
    failed = hyobscure("verify", release, "--against", others / "spec.toml")
    assert failed.code == 2
    assert "FAIL" in failed.out


# --- the other commands --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["cell", "duplicate", "missing", "utf8"])
def test_every_command_that_reads_data_refuses_it_alike(long, people, mechanism, release, fault):
    if fault == "cell":
        long.people[9][1] = MARK
    elif fault == "duplicate":
        long.people[9] = long.people[4]
    elif fault == "missing":
        long.files["people.csv"] = None
    else:
        long.files["people.csv"] = as_csv(long.people).replace(b"zebra", b"\xff", 1)
    spec = long.write().folder / "spec.toml"
    commands = [
        ["inspect", spec],
        ["fit", spec, "-o", long.out / "m.json"],
        ["publish", spec, "-m", mechanism, "-o", long.out / "r"],
        ["verify", release, "--against", spec],
    ]
    said = {
        refused(long.hyobscure(*one, cwd=long.out), long.hyobscure(*one, "--json", cwd=long.out), "people.csv")
        for one in commands
    }
    assert len(said) == 1, said
    assert list(long.out.iterdir()) == []
