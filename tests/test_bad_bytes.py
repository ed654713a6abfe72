"""Files with damage: bytes, compression, Parquet, JSON."""

import gzip
import json
import random
import shutil
import struct

import pytest
from bad_input import MARK, NOISE, as_csv, refused


# --- bytes -----------------------------------------------------------------------------------------------------------------


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
@pytest.mark.parametrize("real, given", [(";", "|"), (",", ";"), ("\t", ",")])
def test_a_wrong_delimiter_is_refused_and_thought_of(long, section, file, real, given):
    long.files[file] = as_csv(long.people if section == "people" else long.events, real)
    long.refused(file, "delimiter", flags=[f"--{section}.delimiter", given])


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
