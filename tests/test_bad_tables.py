"""Tables that cannot be read as they are declared: files, columns, people, events, cells."""

import re

import pytest
from bad_input import MARK, as_csv, refused


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


def test_all_zero_rows_with_jensen_shannon_are_alike_and_pointed_at(wide, hyobscure):
    wide.replace(', "town"]', "]")
    for person in (9, 12):
        wide.people[person][2:4] = [0, 0]
    wide.works("--channel.distance", "jensen-shannon")
    inspected = hyobscure("inspect", wide.write().folder / "spec.toml", "--channel.distance", "jensen-shannon")
    assert "2 people have only zeros" in inspected.prose and "squared-euclidean" in inspected.prose


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
