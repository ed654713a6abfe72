"""What `inspect` recommends works when it is done, word for word; commands that are printed run as they are; and a
reading tells all that is wrong at once."""

import re
import shlex

import pytest


def next_command(printed):
    """The words after `Next: hyobscure`, as a shell would take them."""
    found = re.search(r"^Next: hyobscure (.*)$", printed, re.MULTILINE)
    assert found, printed
    return shlex.split(found[1])


def pairs(words):
    """Flags with their values, in any order."""
    return sorted(zip(words[::2], words[1::2], strict=True))


def make_people(folder, count=240):
    rows = [
        f"p{i:03},{20 + (i * 7) % 40},{(i * 7) % 40 // 4 + (i * 13) % 5},{'north' if (i * 7) % 40 < 20 else 'south'}"
        for i in range(count)
    ]
    (folder / "people.csv").write_text("id,age,pay,town\n" + "\n".join(rows) + "\n")


SPEC = """[people]
file = "people.csv"
id = "id"
secret = "age"
features = ["pay", "town"]
[channel]
distance = "squared-euclidean"
[release]
ledger = "none"
"""


@pytest.fixture
def wide(tmp_path):
    make_people(tmp_path)
    (tmp_path / "my spec.toml").write_text(SPEC)
    return tmp_path


def test_each_command_prints_one_that_works(hyobscure, wide):
    """From a spec without limits to a verified release: nothing is typed but what was printed."""
    words = ["inspect", "my spec.toml"]
    seen = []
    while True:
        done = hyobscure(*words, cwd=wide)
        assert done.code == 0, done.err
        seen.append(words[0])
        if "Next:" not in done.out:
            break
        words = next_command(done.out)
    assert seen == ["inspect", "fit", "publish", "verify"]
    assert "Verified: all" in done.out


def test_next_commands_repeat_what_was_given(hyobscure, wide):
    flags = ["--groups.people", "20,200", "--groups.values", "4,30", "--groups", "3"]
    inspected = hyobscure("inspect", "my spec.toml", *flags, cwd=wide)
    assert pairs(next_command(inspected.out)[2:8]) == pairs(flags)
    fitted = hyobscure("fit", "my spec.toml", *flags, "--channel.budget_share", "0.8", "-o", "m 1.json", cwd=wide)
    assert next_command(fitted.out)[:2] == ["publish", "my spec.toml"]
    given = [*flags, "--channel.budget_share", "0.8", "-m", "m 1.json", "-o", "release"]
    assert pairs(next_command(fitted.out)[2:]) == pairs(given)
    published = hyobscure(*next_command(fitted.out), cwd=wide)
    assert next_command(published.out)[-2:] == ["-m", "m 1.json"]
    assert hyobscure(*next_command(published.out), cwd=wide).code == 0


def test_three_budgets_are_those_of_a_fit(hyobscure, wide):
    """All people are few enough to be fitted, and these groups cannot move: then the table says what fit will say."""
    limits = [
        "--groups.people",
        "20,200",
        "--groups.values",
        "4,30",
        "--groups.fixed",
        "[[20, 32], [33, 45], [46, 59]]",
    ]
    advice = hyobscure("inspect", "my spec.toml", *limits, "--json", cwd=wide).json["recommendation"]
    assert [budget["name"] for budget in advice["budgets"]] == ["careful", "balanced", "useful"]
    assert advice["fitted_people"] == 240 and advice["limits_of_the_spec"]
    for budget in advice["budgets"]:
        share = ["--channel.budget_share", str(budget["budget_share"])]
        fitted = hyobscure("fit", "my spec.toml", *limits, *share, "-o", "m.json", "--force", "--json", cwd=wide)
        found = fitted.json
        assert found["budget"] == pytest.approx(budget["budget"], rel=1e-6)
        assert found["leakage_features_bits"] == pytest.approx(budget["leakage_features_bits"], abs=2e-3)
        assert found["own_rows"] == pytest.approx(budget["own_rows"], abs=0.02)
        assert (fitted.code == 3) == budget["refused_by_publish"]
    leaks = [budget["leakage_features_bits"] for budget in advice["budgets"]]
    assert leaks[0] < leaks[2] and leaks[2] > 0.05


def test_a_budget_out_of_the_useful_range_is_pointed_at(hyobscure, wide):
    limits = ["--groups.people", "20,200", "--groups.values", "4,30"]
    far = hyobscure("inspect", "my spec.toml", *limits, "--budget", "9", cwd=wide)
    assert "beyond the useful range" in far.out
    near = hyobscure("inspect", "my spec.toml", *limits, "--budget", "0.001", cwd=wide)
    assert "below the useful range" in near.out
    some = hyobscure("inspect", "my spec.toml", *limits, "--channel.budget_share", "0.7", cwd=wide)
    assert "useful range" not in some.out


def test_limits_that_cannot_be_met_get_others_that_keep_k_and_l(hyobscure, wide):
    refused = hyobscure(
        "fit",
        "my spec.toml",
        "--groups",
        "9",
        "--groups.people",
        "40,60",
        "--groups.values",
        "3,30",
        "-o",
        "m.json",
        cwd=wide,
    )
    assert refused.code == 2
    settings = re.findall(r"count = (\d+), people = \[(\d+), (\d+)\], values = \[(\d+), (\d+)\]", refused.err)
    assert settings and [found[1] for found in settings[:2]] == ["40", "40"] and settings[0][3] == "3"
    for count, k, alpha, l, beta in settings:
        words = ["--groups", count, "--groups.people", f"{k},{alpha}", "--groups.values", f"{l},{beta}"]
        assert "With the first groups of your spec" in hyobscure("inspect", "my spec.toml", *words, cwd=wide).out


def test_names_without_an_order_are_grouped_in_any_way(hyobscure, tmp_path):
    """Two large names beside each other in the alphabet need not be in one group."""
    sizes = {"a": 60, "b": 50, "c": 6, "d": 4}
    rows = [f"{name}{i},{name},{i % 23}" for name, count in sizes.items() for i in range(count)]
    (tmp_path / "people.csv").write_text("id,job,pay\n" + "\n".join(rows) + "\n")
    spec = SPEC.replace("age", "job").replace('["pay", "town"]', '["pay"]') + '[secret]\nkind = "categorical"\n'
    (tmp_path / "spec.toml").write_text(spec + "[groups]\npeople = [10, 100]\nvalues = [1, 3]\n")
    options = hyobscure("inspect", "spec.toml", "--json", cwd=tmp_path).json["options"]
    two, three = options[0], options[1]
    assert (two["largest_k"], two["smallest_alpha"]) == (60, 60)
    assert (three["largest_k"], three["smallest_alpha"]) == (10, 60)
    # of the 7 ways to make two groups, {abc, d}, {abd, c} and {acd...} are out of [10, 100]
    assert two["groupings"] == 4


def test_a_reading_tells_all_problems_at_once(hyobscure, tmp_path):
    make_people(tmp_path)
    text = (tmp_path / "people.csv").read_text().splitlines()
    text[3] = text[3].replace(text[3].split(",")[1], "zebra", 1)
    text[5] = "p004,,3,north"
    text[9] = "p008,30,n/a,north"
    (tmp_path / "people.csv").write_text("\n".join(text) + "\n")
    (tmp_path / "spec.toml").write_text(SPEC + "[groups]\npeople = [20, 200]\nvalues = [4, 30]\n")
    for command in (["inspect", "spec.toml"], ["fit", "spec.toml", "--channel.budget_share", "0.7", "-o", "m.json"]):
        refused = hyobscure(*command, cwd=tmp_path)
        assert refused.code == 2
        assert 'row 3, column "age": expected a number' in refused.err
        assert "2 more problems:" in refused.err
        assert 'row 5, column "age": the secret is missing' in refused.err
        assert 'row 9, column "pay": expected a number, as nearly all' in refused.err
        assert "zebra" not in refused.err


def test_what_was_filled_in_is_counted(hyobscure, wide):
    text = (wide / "people.csv").read_text().splitlines()
    for row, word in (8, ""), (10, "NA"):
        name, age, _, town = text[row].split(",")
        text[row] = f"{name},{age},{word},{town}"
    (wide / "people.csv").write_text("\n".join(text) + "\n")
    limits = [
        "--groups.people",
        "20,200",
        "--groups.values",
        "4,30",
        "--people.missing",
        "mean",
        "--people.nulls",
        "NA",
    ]
    inspected = hyobscure("inspect", "my spec.toml", *limits, cwd=wide)
    assert "filled: 2 empty cells (people.missing)" in inspected.out
    assert hyobscure("inspect", "my spec.toml", *limits, "--json", cwd=wide).json["read"]["cells_filled"] == 2


def test_a_cast_that_fails_names_column_and_type(hyobscure, wide):
    query = "SELECT id, CAST(town AS INTEGER) AS age, pay, town FROM 'people.csv'"
    refused = hyobscure("inspect", "my spec.toml", "--people.file", "", "--people.query", query, cwd=wide)
    assert refused.code == 2
    assert 'column "town"' in refused.err and "cannot be converted to INT" in refused.err
    assert "north" not in refused.err and "unclosed" not in refused.err


@pytest.mark.parametrize("kind", ["ratings", "tabular", "check-ins"])
@pytest.mark.parametrize("people", [10, 20, 300, 2500, 6000])
def test_the_spec_of_synth_always_fits(hyobscure, tmp_path, kind, people):
    made = hyobscure("synth", "--kind", kind, "--people", people, "--entries", 5, "-o", "made", cwd=tmp_path)
    inspected = hyobscure(*next_command(made.out), cwd=tmp_path)
    assert "With the first groups of your spec" in inspected.out, inspected.out


def test_inspect_says_how_many_people_a_few_entries_single_out(hyobscure, tmp_path):
    """Person i is a number of two digits, an item each: two entries tell everybody apart, or nobody where all have a twin."""

    def inspect(people, name):
        (tmp_path / name).mkdir()
        (tmp_path / name / "people.csv").write_text("id,age\n" + "".join(f"p{i},{20 + i % 30}\n" for i, _ in people))
        events = "".join(f"p{i},tens,{n // 10 + 1}\np{i},ones,{n % 10 + 1}\n" for i, n in people)
        (tmp_path / name / "events.csv").write_text("person,item,stars\n" + events)
        made = hyobscure("init", "people.csv", "events.csv", "--secret", "age", cwd=tmp_path / name)
        assert made.code == 0, made.err
        return hyobscure("inspect", "spec.toml", cwd=tmp_path / name)

    apart = inspect([(i, i) for i in range(100)], "apart")
    assert "100 % by 2, 100 % by 4" in apart.prose
    twins = inspect([(i, i // 2) for i in range(100)], "twins")
    assert re.search(r" 0(\.0+)? % by 2, 0(\.0+)? % by 4", twins.prose), twins.prose
