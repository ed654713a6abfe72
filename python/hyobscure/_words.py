"""What the core says, in the words of Python: arguments instead of flags, functions instead of commands."""

from __future__ import annotations

import re

# Flags of the command line as the arguments that mean the same.
_ARGUMENTS = {
    "--accept-leakage": "accept_leakage=True",
    "--against": "spec=",
    "--budgets": "budgets",
    "--force": "force=True",
    "--memory": "memory=",
    "--methods": "methods",
    "--other-people": "other_people=True",
    "--second-draw": "second_draw=True",
    "--secret": "secret=",
    "--signed-by": "signed_by=",
    "--threads": "n_jobs=",
}

# In this order: what is longer comes first.
_PHRASES = [
    (r"--[a-z-]+(?: [A-Z][\w.]*)? \(([a-z_]+=\w*) from Python\)", r"\1"),
    (r"With --against SPEC and -m MECHANISM more of it is seen", "With `spec` and `mechanism` more of it is seen"),
    (r"With -m MECHANISM", "With redraw=True"),
    (r"`hyobscure publish` wrote", "`publish` wrote"),
    (r"`hyobscure verify --list-checks` explains", "docs/verify.md explains"),
    (r"`hyobscure verify (\S+) --against ([^`]+)`", r'`hyobscure.verify("\1", spec="\2")`'),
    (r"`hyobscure fit` wrote", "`save` wrote"),
    (r"`hyobscure fit`", "`HyObscure.fit`"),
    (r"`hyobscure (inspect|compare|verify|audit|init|settings)`", r"`hyobscure.\1`"),
    (r"\badd --force\b", "give force=True"),
    (r"--secret COLUMN", 'secret="COLUMN"'),
    (r"--signed-by KEY\.pub", 'signed_by="KEY.pub"'),
    (r"--threads (\d+)", r"n_jobs=\1"),
    (r"--([a-z]+\.[a-z_]+) ([^\s`.,;]+)", r'settings={"\1": \2}'),
]


def in_python(text: str) -> str:
    """
    >>> in_python("Choose another name, or add --force to replace it.")
    'Choose another name, or give force=True to replace it.'
    >>> in_python("`hyobscure inspect` shows the sensible range.")
    '`hyobscure.inspect` shows the sensible range.'
    """
    for pattern, words in _PHRASES:
        text = re.sub(pattern, words, text)
    return re.sub(r"(?<![\w-])--[a-z][a-z-]*", lambda flag: _ARGUMENTS.get(flag[0], flag[0]), text)
