"""What the tests of bad input share: small data that can be spoilt, and what every refusal has to say.

Exit code 2, a message with place, cause and remedy; nothing is written, and no cell is quoted.
"""

import hashlib
import json
import random

NOISE = random.Random(7).randbytes(20_000)
MARK = "zebra4711"  # is in every id and every item: it must never be shown

# What all specs begin and end with; parts that differ are given by name.
PEOPLE = """[people]
file = "people.csv"
id = "id"
secret = "{secret}"
"""
TWO_GROUPS = """[groups]
count = 2
people = [5, 55]
values = {values}
[channel]
clusters = 3
distance = "{distance}"
budget_share = 0.5
"""


def spec(secret="age", columns="", values="[2, 9]", distance="jensen-shannon"):
    return PEOPLE.format(secret=secret) + columns + TWO_GROUPS.format(values=values, distance=distance)


LONG = spec(
    columns="""[events]
file = "events.csv"
person = "who"
item = "what"
value = "stars"
"""
)
WIDE = spec(columns='features = ["height", "steps", "town"]\nscale = "none"\n')


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


def sealed(mechanism):
    """The text of a mechanism with a seal that fits it, as somebody writes who knows how."""
    entries = json.dumps({name: value for name, value in mechanism.items() if name != "seal"})[:-1]
    return f'{entries},\n "seal": "{hashlib.sha256(entries.encode()).hexdigest()}"\n}}\n'
