"""What the core says is said in Python's words: no flags, and no commands where there are functions."""

import re

import pytest
from conftest import SOURCE

import hyobscure
from hyobscure._words import in_python

# Texts that Python never shows, or not in words of its own: files of the command line, experiments, and pages, which are the
# same whoever writes them.
OF_THE_PROGRAM = (
    "experiment/",
    "obscure/fit/saved_census.cpp",
    "workflow/starting_spec.cpp",
    "report/verdict.cpp",
    "published/dictionary.cpp",
    "report/pdf.cpp",  # arguments of a browser
)
OF_PAGES = ("looks at the files alone: anyone", "This page is written by")
COMMANDS = re.compile(r"`hyobscure (inspect|init|fit|publish|compare|audit|verify|settings)\b")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*|(?<![\w-])-m [A-Z]")


def literals(text):
    """Texts of C++, neighbours put together, without comments."""
    text = re.sub(r"(?m)//.*$", "", re.sub(r'R"\w*\((.*?)\)\w*"', "", text, flags=re.S))
    for run in re.finditer(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', text):
        yield "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run[0])).replace('\\"', '"')


def messages():
    root = SOURCE / "src" / "hyobscure"
    for file in sorted(root.rglob("*.cpp")) + sorted(root.rglob("*.h")):
        place = str(file.relative_to(root))
        if "test" not in file.name and not place.startswith(OF_THE_PROGRAM):
            for text in literals(file.read_text()):
                if (FLAG.search(text) or COMMANDS.search(text)) and not any(words in text for words in OF_PAGES):
                    yield place, text


def test_there_are_messages_to_translate():
    assert len(list(messages())) > 15


@pytest.mark.parametrize("place, text", [pytest.param(*each, id=f"{each[0]}-{each[1][:30]}") for each in messages()])
def test_no_message_names_a_flag_or_a_command_of_the_program(place, text):
    said = in_python(text)
    assert not FLAG.search(said), said
    assert not COMMANDS.search(said), said


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "or publish all the same with --accept-leakage (accept_leakage=True from Python).",
            "or publish all the same with accept_leakage=True.",
        ),
        ("Use --threads 1.", "Use n_jobs=1."),
        ("Raise --memory, or use a larger machine.", "Raise memory=, or use a larger machine."),
        ("Give --groups.count 4.", 'Give settings={"groups.count": 4}.'),
        ("a dash -- as in prose, and 2--3", "a dash -- as in prose, and 2--3"),
    ],
)
def test_a_flag_is_the_argument_that_means_the_same(text, said):
    assert in_python(text) == said


def test_refusals_speak_python(model, numbers, tmp_path):
    model.publish(tmp_path / "release")
    with pytest.raises(hyobscure.InputError, match="force=True") as refused:
        model.publish(tmp_path / "release")
    assert "--" not in str(refused.value) + refused.value.remedy
    assert "--" not in repr(hyobscure.verify(tmp_path / "release"))
    with pytest.raises(hyobscure.InputError, match=r"`hyobscure\.inspect`"):
        hyobscure.HyObscure(people=(40, 200), values=(3, 30)).fit(*numbers)
