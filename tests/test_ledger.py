"""The ledger under load: publications that race, links, full disks and kills never lose whom it remembers."""

import json
import os
import resource
import subprocess

import pytest

from conftest import BINARY, run

SPEC = """[people]
file = "people.csv"
id = "id"
secret = "age"
features = ["height"]
[groups]
count = 2
people = [5, {most}]
values = [2, 20]
[channel]
clusters = 2
budget_share = 0.5
distance = "squared-euclidean"
[method]
name = "random"
[release]
ledger = "{ledger}"
"""


def make_people(folder, ids, ledger, most=40):
    """People with these ids, a spec and a mechanism drawn without a seed."""
    folder.mkdir()
    rows = [f"{id},{20 + n % 10},{150 + n * 7 % 41}" for n, id in enumerate(ids)]
    (folder / "people.csv").write_text("id,age,height\n" + "\n".join(rows) + "\n")
    (folder / "spec.toml").write_text(SPEC.format(ledger=ledger, most=most))
    fitted = run("fit", folder / "spec.toml", "-o", folder / "m.json")
    assert fitted.usable, fitted.err
    return folder


def words_of(made, *flags):
    words = ["publish", made / "spec.toml", "-m", made / "m.json", "--accept-leakage", "-o", made / "release", *flags]
    return [str(BINARY), *map(str, words), "--threads", "1"]


def publish(made, *flags, **options):
    return run(*words_of(made, *flags)[1:], **options)


def publish_at_once(all_made):
    """Exit codes and messages of publications that are started together."""
    started = [subprocess.Popen(words_of(made), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for made in all_made]
    messages = [process.communicate(timeout=120)[1].decode() for process in started]
    return [process.returncode for process in started], messages


def block(number, size=30):
    return [f"p{number * size + n}" for n in range(size)]


def entries(ledger):
    return json.loads(ledger.read_text())["draws"]


def test_of_eight_racing_publications_each_person_is_in_one_and_no_entry_is_lost(tmp_path):
    ledger = tmp_path / "ledger.json"
    # Four lots of people, each wanted by two publications; beside them, two that share one person with two lots each.
    wanted = [block(number // 2) for number in range(8)]
    wanted[6] = block(3)[:-1] + ["p0"]
    wanted[7] = block(3)[1:] + ["p30"]
    made = [make_people(tmp_path / f"d{n}", ids, ledger) for n, ids in enumerate(wanted)]
    codes, messages = publish_at_once(made)
    assert set(codes) == {0, 2}, messages
    published = [n for n, code in enumerate(codes) if code == 0]
    assert {n for n in range(8) if (made[n] / "release").exists()} == set(published)
    remembered = entries(ledger)
    assert sorted(entry["release"] for entry in remembered) == sorted(str(made[n] / "release") for n in published)
    people = [person for n in published for person in wanted[n]]
    assert len(people) == len(set(people))  # nobody is drawn for twice
    for n in set(range(8)) - set(published):  # and nobody was refused without a reason
        assert set(wanted[n]) & set(people) and "a second time" in messages[n]
    assert not list(tmp_path.glob("*.lock"))


def test_eight_racing_publications_of_different_people_are_all_remembered(tmp_path):
    ledger = tmp_path / "ledger.json"
    made = [make_people(tmp_path / f"d{n}", block(n), ledger) for n in range(8)]
    codes, messages = publish_at_once(made)
    assert codes == [0] * 8, messages
    assert {entry["release"] for entry in entries(ledger)} == {str(each / "release") for each in made}
    assert all(entry["people"] == 30 for entry in entries(ledger))
    for n in range(8):  # each of them is known from now on
        again = make_people(tmp_path / f"again{n}", [*block(n)[:1], *block(100 + n)], ledger)
        refused = publish(again)
        assert refused.code == 2 and "3 % of the people" in refused.err, refused.err


def test_names_that_lead_to_one_ledger_are_one_ledger(tmp_path):
    (tmp_path / "private").mkdir()
    (tmp_path / "link.json").symlink_to("private/ledger.json")
    (tmp_path / "chain.json").symlink_to(tmp_path / "link.json")
    (tmp_path / "folder").symlink_to("private")
    names = ["private/ledger.json", "link.json", "chain.json", "folder/ledger.json"]
    made = [make_people(tmp_path / f"d{n}", block(0), tmp_path / name) for n, name in enumerate(names)]
    codes, messages = publish_at_once(made)
    assert sorted(codes) == [0, 2, 2, 2], messages
    assert len(entries(tmp_path / "private/ledger.json")) == 1
    assert (tmp_path / "link.json").is_symlink() and (tmp_path / "chain.json").is_symlink()


def test_a_second_name_of_the_file_is_refused(tmp_path):
    ledger = tmp_path / "ledger.json"
    assert publish(make_people(tmp_path / "a", block(0), ledger)).code == 0
    os.link(ledger, tmp_path / "other.json")
    for name in (ledger, tmp_path / "other.json"):
        refused = publish(make_people(tmp_path / f"of-{name.stem}", block(1), name))
        assert refused.code == 2 and "a second name" in refused.err, refused.err
    assert len(entries(ledger)) == 1


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "nowhere"])
def test_what_cannot_be_a_ledger_is_refused_and_not_waited_for(tmp_path, kind):
    place = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "loop":
        place.symlink_to(place)
    else:
        place.symlink_to(tmp_path / "gone" / "ledger.json")
    made = make_people(tmp_path / "d", block(0), place)
    refused = publish(made, timeout=30)
    assert refused.code == 2 and str(place) in refused.err, (refused.code, refused.err)
    assert not (made / "release").exists()


@pytest.mark.parametrize("other", ["{}.0", "0{}", "00{}", " {}", "{} ", "+{}", "{}e0"])
def test_ids_that_are_only_written_otherwise_are_the_same_people(tmp_path, other):
    ledger = tmp_path / "ledger.json"
    numbers = range(1, 31)
    assert publish(make_people(tmp_path / "a", numbers, ledger)).code == 0
    assert "numbers of rows" in publish(make_people(tmp_path / "same", numbers, ledger)).err
    mixed = [f'"{other.format(n)}"' if n == 7 else f"x{n}" for n in numbers]  # text, because of the others
    made = make_people(tmp_path / "b", mixed, ledger)
    refused = publish(made)
    assert refused.code == 2 and "3 % of the people" in refused.err, (refused.code, refused.err)
    assert "numbers of rows" not in refused.err
    assert publish(make_people(tmp_path / "c", [f"x{n}" for n in numbers], ledger)).code == 0


def test_other_people_with_the_same_ids_are_told_by_their_rows(tmp_path):
    """Two tables without ids of their own, numbered 1 to n, in one ledger."""
    ledger, numbers = tmp_path / "ledger.json", range(1, 31)

    def table(name, height):
        made = make_people(tmp_path / name, numbers, ledger)
        rows = [f"{n},{20 + n % 10},{height(n)}" for n in numbers]
        (made / "people.csv").write_text("id,age,height\n" + "\n".join(rows) + "\n")
        assert run("fit", made / "spec.toml", "-o", made / "m.json", "--force").usable
        return made

    first = table("first", lambda n: n)
    assert publish(first).code == 0
    other = table("other", lambda n: 13 * n % 31)  # the same heights, of others: nobody has their own
    refused = publish(other)
    assert refused.code == 2 and "--other-people" in refused.err and "rows that were compared 0 are" in refused.err
    assert not (other / "release").exists()
    told = publish(other, "--other-people")
    assert told.code == 0, told.err
    assert "second_draw" not in (other / "release" / "manifest.json").read_text()

    # The first people again, a third of them edited: no flag but --second-draw publishes them.
    edited = table("edited", lambda n: 15 if n % 3 == 2 else n)
    for flags in ([], ["--other-people"]):
        refused = publish(edited, *flags)
        assert refused.code == 2 and not (edited / "release").exists(), flags
    assert "the same row" in refused.err
    assert publish(edited, "--second-draw").code == 0


def test_one_of_many_people_is_remembered(tmp_path):
    ledger = tmp_path / "ledger.json"
    many = make_people(tmp_path / "many", range(20_000), ledger, most=20_000)
    assert publish(many).code == 0
    few = make_people(tmp_path / "few", [*(f"x{n}" for n in range(29)), 12_345], ledger)
    refused = publish(few)
    assert refused.code == 2 and "1 of the 20000 people" in refused.err, refused.err


def test_a_limit_of_the_size_of_files_leaves_the_ledger_as_it_was(tmp_path):
    """A full disk, met while the ledger is written: it is larger than all that the release holds."""
    ledger = tmp_path / "ledger.json"
    assert publish(make_people(tmp_path / "first", block(0), ledger)).code == 0
    content = json.loads(ledger.read_text())
    content["draws"] *= 40
    ledger.write_text(json.dumps(content))
    before = ledger.read_bytes()
    made = make_people(tmp_path / "second", block(1), ledger)

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), len(before)))

    refused = publish(made, preexec_fn=small_files)
    assert refused.code == 2 and "cannot be written" in refused.err, (refused.code, refused.err)
    assert ledger.read_bytes() == before and not (made / "release").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "ledger.json", "second"]
