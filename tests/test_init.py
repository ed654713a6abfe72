"""From files that nobody has described to a verified release, without an editor."""

import csv
import os
import pty
import random
import re
import subprocess
import time

import pytest

from conftest import BINARY

PEOPLE = 150


def numbers(seed=1):
    """Rows of id, age, income and two answers, which follow the age."""
    draw = random.Random(seed)
    rows = []
    for person in range(PEOPLE):
        age = draw.randrange(18, 78)
        rows.append(
            {
                "id": f"p{person}",
                "age": age,
                "income": round(800 + 40 * age + draw.uniform(0, 900), 2),
                "hours": draw.randrange(0, 60),
                "town": draw.choice(["Aachen", "Berlin", "Celle"]),
            }
        )
    return rows


def write(file, rows, delimiter=",", encoding="utf-8", header=True, decimal="."):
    def cell(value):
        return str(value).replace(".", decimal) if isinstance(value, float) else value

    with open(file, "w", newline="", encoding=encoding) as out:
        writer = csv.writer(out, delimiter=delimiter)
        if header:
            writer.writerow(rows[0].keys())
        writer.writerows([[cell(value) for value in row.values()] for row in rows])


def events_of(rows, seed=2):
    draw = random.Random(seed)
    return [
        {"user": row["id"], "film": f"f{film}", "rating": draw.randrange(1, 6), "seen_at": "2026-01-05 10:00:00"}
        for row in rows
        for film in draw.sample(range(40), 8)
    ]


@pytest.fixture
def walk(hyobscure, tmp_path):
    """init, fit, publish and verify as they print their next commands; gives the spec and what init said."""

    def steps(*arguments):
        made = hyobscure("init", *arguments, "--yes", cwd=tmp_path)
        assert made.code == 0, made.err
        spec = (tmp_path / "spec.toml").read_text()
        fitted = hyobscure("fit", "spec.toml", "-o", "mechanism.json", cwd=tmp_path)
        assert fitted.code == 0, fitted.out + fitted.err + spec
        published = hyobscure("publish", "spec.toml", "-m", "mechanism.json", "-o", "release", cwd=tmp_path)
        assert published.code == 0, published.err
        verified = hyobscure("verify", "release", "--against", "spec.toml", cwd=tmp_path)
        assert verified.code == 0, verified.out
        return spec, made

    return steps


def test_wide_numbers_with_an_id(walk, tmp_path):
    write(tmp_path / "people.csv", numbers())
    spec, made = walk("people.csv")
    assert 'id = "id"' in spec and 'secret = "age"' in spec
    assert 'features = ["income", "hours", "town"]' in spec
    assert "Next: hyobscure fit spec.toml" in made.out


def test_people_and_their_events(walk, tmp_path):
    rows = numbers()
    write(tmp_path / "people.csv", [{"id": row["id"], "age": row["age"], "town": row["town"]} for row in rows])
    write(tmp_path / "events.csv", events_of(rows))
    spec, made = walk("people.csv", "events.csv")
    for line in ('person = "user"', 'item = "film"', 'value = "rating"', 'distance = "jensen-shannon"'):
        assert line in spec
    assert 'rows = "composed"' in spec and "find" in spec.split('rows = "composed"')[0].splitlines()[-1]
    assert "seen_at" in made.out and "town" in made.out  # what is not published is said
    assert "seen_at" not in spec.replace("#   seen_at", "")


@pytest.mark.parametrize("form", ["semicolon", "latin", "utf-16", "bom", "tab"])
def test_files_as_programs_of_other_countries_write_them(walk, tmp_path, form):
    rows = [{**row, "town": "Köln" if row["town"] == "Celle" else row["town"]} for row in numbers()]
    file = tmp_path / "people.csv"
    if form == "semicolon":
        write(file, rows, delimiter=";", decimal=",")
    else:
        encoding = {"latin": "latin-1", "utf-16": "utf-16", "bom": "utf-8-sig", "tab": "utf-8"}[form]
        write(file, rows, delimiter="\t" if form == "tab" else ",", encoding=encoding)
    spec, _ = walk("people.csv")
    assert ('decimal = ","' in spec) == (form == "semicolon")
    assert ("encoding" in spec) == (form in ("latin", "utf-16"))
    published = (tmp_path / "release" / "people.csv").read_text(encoding="utf-8")
    assert "Köln" in published


def test_no_header(walk, tmp_path):
    write(tmp_path / "people.csv", numbers(), header=False)
    spec, _ = walk("people.csv", "--secret", "column1")
    assert "header = false" in spec and 'secret = "column1"' in spec


def test_ratings_without_headers_as_in_movielens(walk, tmp_path):
    draw = random.Random(3)
    rows = [
        {"id": person, "age": draw.randrange(18, 70), "sex": draw.choice("MF"), "job": draw.choice("abcdefgh")}
        for person in range(1, PEOPLE + 1)
    ]
    ratings = [
        {"who": row["id"], "film": film, "stars": draw.randrange(1, 6), "second": draw.randrange(874724710, 893286638)}
        for row in rows
        for film in draw.sample(range(1, 60), 12)
    ]
    write(tmp_path / "u.user", rows, delimiter="|", header=False)
    write(tmp_path / "u.data", ratings, delimiter="\t", header=False)
    spec, _ = walk("u.user", "u.data", "--secret", "column1")
    for line in ('person = "column0"', 'item = "column1"', 'value = "column2"', "header = false"):
        assert line in spec


def test_a_secret_that_no_name_tells_is_asked_for_with_what_columns_hold(hyobscure, tmp_path):
    write(tmp_path / "people.csv", numbers(), header=False)
    refused = hyobscure("init", "people.csv", "--yes", cwd=tmp_path)
    assert refused.code == 2
    assert re.search(r"it could be: column1 \(whole numbers, \d+ different\), column\d", refused.err)
    assert "Aachen" not in refused.err


def test_rows_without_ids_are_numbered(walk, tmp_path):
    write(tmp_path / "people.csv", [{k: v for k, v in row.items() if k != "id"} for row in numbers()])
    spec, _ = walk("people.csv")
    assert "row_number()" in spec and 'id = "row"' in spec


def test_cells_that_mean_nothing(walk, tmp_path):
    rows = numbers()
    for row in rows[::9]:
        row["hours"] = "NA"
    rows[4]["age"] = "NA"
    write(tmp_path / "people.csv", rows)
    spec, _ = walk("people.csv")
    assert 'nulls = ["NA"]' in spec and 'missing = "category"' in spec and spec.count("leave-out") == 1
    assert "1 of 150 people have none" in spec


def test_a_date_of_birth_becomes_a_year(walk, tmp_path):
    rows = numbers()
    for row in rows:
        row["born"] = f"{2026 - row.pop('age')}-03-0{1 + row['hours'] % 9}"
    write(tmp_path / "people.csv", rows)
    spec, _ = walk("people.csv")
    assert "year(" in spec and 'secret = "born_year"' in spec


def test_sets_of_words_and_columns_that_identify(walk, tmp_path):
    rows = numbers()
    for number, row in enumerate(rows):
        row["likes"] = "|".join(random.Random(number).sample(["art", "bikes", "chess", "dance"], 2))
        row["email"] = f"someone{number}@example.org"
        row["comment"] = 'line one\nand "two"'
    write(tmp_path / "people.csv", rows)
    spec, made = walk("people.csv")
    assert 'sets = ["likes"]' in spec
    assert "email" in made.out and '"email"' not in spec and '"comment"' not in spec


def test_parquet(walk, hyobscure, tmp_path):
    assert hyobscure("synth", "--people", 200, "--format", "parquet", "-o", tmp_path / "data").code == 0
    spec, _ = walk("data/people.parquet", "data/events.parquet")
    assert 'file = "data/people.parquet"' in spec


def test_a_name_as_secret(walk, tmp_path):
    rows = numbers()
    for row in rows:
        row["religion"] = random.Random(row["id"]).choice("ABCDEFGH")
    write(tmp_path / "people.csv", rows)
    spec, _ = walk("people.csv", "--secret", "religion")
    assert 'kind = "categorical"' in spec


def test_ranges_as_secret_keep_their_order_and_names(walk, tmp_path):
    bands = ["Under 15K", "15-24K", "25-49K", "50-99K", "100K and more"]
    rows = numbers()
    for row in rows:
        row["income"] = random.Random(row["id"]).choice(bands)
    write(tmp_path / "people.csv", rows)
    spec, _ = walk("people.csv", "--secret", "income")
    assert 'order = ["Under 15K", "15-24K", "25-49K", "50-99K", "100K and more"]' in spec
    with open(tmp_path / "release" / "people.csv", newline="") as file:
        labels = {row["income"] for row in csv.DictReader(file)}
    ends = [[bands.index(name) for name in label.split(" to ")] for label in labels]
    covered = sorted(value for end in ends for value in range(end[0], end[-1] + 1))
    assert covered == list(range(len(bands))), labels


def test_from_two_files_to_a_report_as_the_readme_says(walk, hyobscure, tmp_path):
    rows = numbers()
    write(tmp_path / "people.csv", [{"id": row["id"], "age": row["age"]} for row in rows])
    write(tmp_path / "events.csv", events_of(rows))
    walk("people.csv", "events.csv", "--secret", "age")
    command = ["audit", "spec.toml", "release", "-m", "mechanism.json", "--report", "report.html"]
    audited = hyobscure(*command, cwd=tmp_path)
    assert audited.code == 0, audited.err
    assert "What the release is good for" in audited.out and (tmp_path / "report.html").exists()


def test_the_folder_of_the_spec_is_where_names_of_files_start(hyobscure, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "specs").mkdir()
    write(tmp_path / "data" / "people.csv", numbers())
    made = hyobscure("init", "data/people.csv", "-o", "specs/mine.toml", cwd=tmp_path)
    assert made.code == 0, made.err
    assert 'file = "../data/people.csv"' in (tmp_path / "specs" / "mine.toml").read_text()
    assert hyobscure("inspect", "specs/mine.toml", cwd=tmp_path).code == 0


def test_inspect_takes_a_table_too(hyobscure, tmp_path):
    write(tmp_path / "people.csv", numbers())
    seen = hyobscure("inspect", "people.csv", "--secret", "income", cwd=tmp_path)
    assert seen.code == 0, seen.err
    assert "income" in seen.out and not (tmp_path / "spec.toml").exists()


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["people.csv", "--secret", "agee"], ["agee", "age"]),
        (["people.csv", "--secret", "id"], ["cannot be the secret"]),
        (["nothing.csv"], ["nothing.csv"]),
        (["p*.csv"], ["pattern"]),
        (["plain.csv"], ["--secret COLUMN", "hours (whole numbers, ", "town (words, 3 different)"]),
        (["people.csv", "other.csv"], ["no column names the people"]),
        (["one.csv"], ["no column can be the secret"]),
    ],
)
def test_what_cannot_be_known_is_asked_for_in_one_sentence(hyobscure, tmp_path, arguments, says):
    rows = numbers()
    write(tmp_path / "people.csv", rows)
    write(tmp_path / "plain.csv", [{"hours": row["hours"], "town": row["town"]} for row in rows])
    write(tmp_path / "other.csv", [{"x": f"other{n}", "y": n % 7} for n in range(300)])
    write(tmp_path / "one.csv", rows[:1])
    refused = hyobscure("init", *arguments, cwd=tmp_path)
    assert refused.code == 2 and not (tmp_path / "spec.toml").exists()
    assert all(word in refused.err for word in says), refused.err
    assert not any(row["id"] in refused.err.split() for row in rows)


def test_a_spec_that_is_there_stays(hyobscure, tmp_path):
    write(tmp_path / "people.csv", numbers())
    (tmp_path / "spec.toml").write_text("mine")
    assert hyobscure("init", "people.csv", cwd=tmp_path).code == 2
    assert (tmp_path / "spec.toml").read_text() == "mine"
    assert hyobscure("init", "people.csv", "--force", cwd=tmp_path).code == 0


# --- on a terminal


def in_terminal(folder, answers, *arguments):
    """What stands on the screen, and the exit code. An answer is typed when a question waits for it."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [str(BINARY), *arguments], cwd=folder, stdin=follower, stdout=follower, stderr=follower, close_fds=True
    )
    os.close(follower)
    screen, answers, end = "", list(answers), time.monotonic() + 60
    try:
        while time.monotonic() < end:
            try:
                part = os.read(leader, 4096).decode(errors="replace")
            except OSError:  # the program has gone
                break
            if not part:
                break
            screen += part
            if answers and re.search(r"\]: $", screen):
                os.write(leader, (answers.pop(0) + "\n").encode())
                screen += "\n"
    finally:
        os.close(leader)
    assert not answers, screen
    return screen, process.wait(timeout=30)


def test_a_terminal_asks_two_questions_and_suggests_what_was_meant(tmp_path):
    write(tmp_path / "people.csv", numbers())
    screen, code = in_terminal(tmp_path, ["3", "incom", "income"], "init", "people.csv")
    assert code == 0, screen
    assert "Did you mean income?" in screen and "the likeliest" in screen
    spec = (tmp_path / "spec.toml").read_text()
    assert 'secret = "income"' in spec and "budget_share = 0.4" in spec


def test_empty_answers_take_what_is_likeliest(tmp_path):
    write(tmp_path / "people.csv", numbers())
    screen, code = in_terminal(tmp_path, ["", ""], "init", "people.csv")
    assert code == 0, screen
    spec = (tmp_path / "spec.toml").read_text()
    assert 'secret = "age"' in spec and "budget_share = 0.7" in spec


def test_yes_asks_nothing(tmp_path):
    write(tmp_path / "people.csv", numbers())
    screen, code = in_terminal(tmp_path, [], "init", "people.csv", "--yes")
    assert code == 0 and "?" not in screen.split("Wrote")[0].replace("init?", ""), screen
