"""Ways to spoil a file, each a function of a generator and the file's bytes. The same seed spoils the same way."""

import json
import re

from bad_input import NOISE

# Numbers that are none, are too large for their type, or stand at its edge.
NUMBERS = "-1 0 -0.0 0.5 1e-320 1e39 1e150 1e400 -1e400 NaN nan Infinity -inf 4294967296 9223372036854775808".split()
NUMBERS += "18446744073709551615 99999999999999999999999999 0x10 1_000 1,5 true null".split()
NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")
CONTROLS = [b"\x00", b"\x07", b"\x1b[2J", b"\r", b"\x7f", "\u202e".encode(), b"\xff\xfe", b"\xc3(", b"\xed\xa0\x80"]


# --- bytes


def flip_a_byte(chance, content):
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ chance.randint(1, 255)]) + content[at + 1 :]


def flip_bytes(chance, content):
    for _ in range(chance.randint(2, 20)):
        content = flip_a_byte(chance, content)
    return content


def flip_near_the_end(chance, content):
    """Where Parquet has its description."""
    at = max(0, len(content) - chance.randint(1, min(300, len(content))))
    return content[:at] + flip_a_byte(chance, content[at:])


def cut_off(chance, content):
    return content[: chance.randrange(len(content))]


def lose_a_part(chance, content):
    begin = chance.randrange(len(content))
    return content[:begin] + content[begin + chance.randint(1, max(1, len(content) // 4)) :]


def repeat_a_part(chance, content):
    begin = chance.randrange(len(content))
    part = content[begin : begin + chance.randint(1, 200)]
    return content[:begin] + part * chance.randint(2, 50) + content[begin:]


def insert_controls(chance, content):
    at = chance.randrange(len(content) + 1)
    return content[:at] + chance.choice(CONTROLS) + content[at:]


def overwrite_with_noise(chance, content):
    at, length = chance.randrange(len(content)), chance.randint(1, 64)
    return content[:at] + chance.randbytes(length) + content[at + length :]


def be_something_else(chance, content):
    utf16 = content.decode("utf-8", "replace").encode("utf-16")
    return chance.choice([b"", NOISE, b"\0" * 5000, b"\n" * 5000, b"{}", b"[]", b"PAR1PAR1", b"[" * 100_000, utf16])


BYTES = [
    flip_a_byte,
    flip_bytes,
    flip_near_the_end,
    cut_off,
    lose_a_part,
    repeat_a_part,
    insert_controls,
    overwrite_with_noise,
    be_something_else,
]


# --- lines and numbers of text


def lose_a_line(chance, content):
    lines = content.splitlines(keepends=True)
    lines.pop(chance.randrange(len(lines)))
    return b"".join(lines)


def double_a_line(chance, content):
    lines = content.splitlines(keepends=True)
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return b"".join(lines)


def exchange_lines(chance, content):
    lines = content.splitlines(keepends=True)
    a, b = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def change_a_number(chance, content):
    numbers = list(NUMBER.finditer(content))
    if not numbers:
        return flip_a_byte(chance, content)
    number = chance.choice(numbers)
    return content[: number.start()] + chance.choice(NUMBERS).encode() + content[number.end() :]


LINES = [lose_a_line, double_a_line, exchange_lines, change_a_number]


# --- cells of CSV


def change_a_cell(chance, content):
    cells = ["", "n/a", "NULL", "'", '"', '"open', "=1+1", "x" * 100_000, "é", "a\tb", "2020-01-01", *NUMBERS]
    lines = content.splitlines(keepends=True)
    at = chance.randrange(1, len(lines))
    row = lines[at].rstrip(b"\r\n").split(b",")
    row[chance.randrange(len(row))] = chance.choice(cells).encode()
    lines[at] = b",".join(row) + b"\n"
    return b"".join(lines)


def change_a_column(chance, content):
    cell = chance.choice([b"", b"1", b"1e39", b"1e150", b"-1e300", b"nan", b"inf", b"same", b"9223372036854775808"])
    rows = [line.split(b",") for line in content.splitlines()]
    column = chance.randrange(len(rows[0]))
    for row in rows[1:]:
        row[column] = cell
    return b"\n".join(map(b",".join, rows)) + b"\n"


def change_the_width_of_a_row(chance, content):
    lines = content.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    cells = lines[at].rstrip(b"\r\n").split(b",")
    cells = chance.choice([cells[:-1], cells + [b"more"], cells * 100, []])
    lines[at] = b",".join(cells) + b"\n"
    return b"".join(lines)


def change_the_header(chance, content):
    names = content.split(b"\n", 1)[0].split(b",")
    a = chance.randrange(len(names))
    names[a] = chance.choice([names[0], names[-1], b"", names[a].upper(), b'"', b"hyo_row", b"x" * 10_000, b"\x1b[2J"])
    return b",".join(names) + b"\n" + content.split(b"\n", 1)[1]


def change_the_dialect(chance, content):
    return chance.choice(
        [
            content.replace(b",", b";"),
            content.replace(b",", b"\t"),
            content.replace(b"\n", b"\r\n"),
            content.replace(b"\n", b"\r"),
            b"\xef\xbb\xbf" + content,
            content.rstrip(b"\n"),
            content.replace(b"\n", b"\n\n"),
            b'"' + content,
        ]
    )


CELLS = [
    change_a_cell,
    change_a_cell,
    change_a_column,
    change_the_width_of_a_row,
    change_the_header,
    change_the_dialect,
]


# --- entries of JSON


def places(value, path=()):
    """The paths of all entries, those of long lists only at their beginning and end."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index in sorted({*range(min(3, len(value))), *range(max(0, len(value) - 2), len(value))}):
            yield from places(value[index], path + (index,))


def other_values(value):
    """What may stand in place of a value."""
    yield from [None, [], {}, "", "\x1b[2J", "x" * 5000, True, -1, 0, 0.5, 1e300, 2**31, 2**63, 2**64, 1e-320]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from [value + 1, value - 1, value * 2, value / 2, -value, str(value), [value], float("nan"), float("inf")]
    if isinstance(value, list):
        yield from [value[:-1], value[1:], value + value, value[::-1], value[:1] * 100_000, [[]] * 3]
    if isinstance(value, str):
        yield from [value[:-1], value + "x", value.upper(), value[::-1], [value]]
    deep = 0
    for _ in range(100):
        deep = [deep]
    yield deep


def at(document, path):
    for key in path:
        document = document[key]
    return document


def change_an_entry(chance, document):
    """A copy of the document with one entry changed, lost or doubled; returns it with the entry's path."""
    document = json.loads(json.dumps(document))
    path = chance.choice([path for path in places(document) if path])
    parent, key = at(document, path[:-1]), path[-1]
    what = chance.random()
    if what < 0.12:
        del parent[key]
    elif what < 0.2 and isinstance(parent, list):
        parent.insert(key, parent[key])
    elif what < 0.2:
        parent[key + "x"] = parent.pop(key)
    elif what < 0.3 and isinstance(parent, list):
        other = chance.randrange(len(parent))
        parent[key], parent[other] = parent[other], parent[key]
    else:
        parent[key] = chance.choice(list(other_values(parent[key])))
    return document, path


# --- entries of TOML


def change_a_setting(chance, content):
    """Another value behind a key."""
    values = ["[]", "{}", '""', '"x"', "true", "[1, [2, [3]]]", "1979-05-27", '"a\\u0000b"', '"\\u001b[2J"', *NUMBERS]
    values += [
        "[" * 5000 + "]" * 5000,
        "[" + "1," * 100_000 + "1]",
        '"' + "x" * 100_000 + '"',
        '"../people.csv"',
        '"/"',
    ]
    lines = content.splitlines()
    at = chance.choice([n for n, line in enumerate(lines) if b"=" in line])
    lines[at] = lines[at].split(b"=")[0] + b"= " + chance.choice(values).encode()
    return b"\n".join(lines) + b"\n"


def change_a_key(chance, content):
    keys = [
        b".".join([b"a"] * 100_000),
        b"x" * 100_000,
        b'""',
        b'"a.b"',
        b"people",
        b"id",
        b"\xc3\xa9",
        b"a b",
        b"a.b.c",
    ]
    lines = content.splitlines()
    at = chance.choice([n for n, line in enumerate(lines) if b"=" in line])
    lines[at] = chance.choice(keys) + b" =" + lines[at].split(b"=", 1)[1]
    return b"\n".join(lines) + b"\n"


def change_a_section(chance, content):
    sections = [
        b"[people]",
        b"[[people]]",
        b"[none]",
        b"[]",
        b"[people",
        b"[events]",
        b"[" + b".".join([b"a"] * 100_000) + b"]",
    ]
    lines = content.splitlines()
    at = chance.choice([n for n, line in enumerate(lines) if line.startswith(b"[")])
    lines[at] = chance.choice(sections)
    return b"\n".join(lines) + b"\n"


SETTINGS = [change_a_setting, change_a_setting, change_a_setting, change_a_key, change_a_section]
