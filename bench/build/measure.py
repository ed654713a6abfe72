#!/usr/bin/env python3
"""The tree in numbers, for docs/development.md: lengths of files and functions, comments, tests, files per folder.

bench/build/measure.py        # functions need universal-ctags (Debian: universal-ctags)
"""

import pathlib
import re
import shutil
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def is_test(file: pathlib.Path) -> bool:
    return file.stem.endswith("_test") or file.stem.startswith("test_")


def lines(file: pathlib.Path) -> list[str]:
    return file.read_text().splitlines()


def spread(numbers: list[int]) -> str:
    numbers = sorted(numbers)
    return f"{statistics.median(numbers):.0f} / {numbers[int(0.9 * len(numbers))]} / {numbers[-1]}"


def comment_share(files: list[pathlib.Path]) -> str:
    """Lines that hold a comment, of all lines that are not blank."""
    text = [line for file in files for line in lines(file) if line.strip()]
    return f"{100 * sum('//' in line for line in text) / len(text):.1f} %"


def function_lengths(files: list[pathlib.Path]) -> list[int]:
    if shutil.which("ctags") is None:
        return []
    command = ["ctags", "-x", "--_xformat=%n %e", "--c++-kinds=f", "--language-force=C++", *map(str, files)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    pairs = [line.split() for line in found if re.fullmatch(r"\d+ \d+", line)]
    return [int(end) - int(first) + 1 for first, end in pairs]


def main() -> None:
    everything = [file for file in (ROOT / "src").rglob("*") if file.suffix in (".cpp", ".h")]
    code = [file for file in everything if not is_test(file)]
    tests = [file for file in everything if is_test(file)]
    headers = [file for file in code if file.suffix == ".h"]
    sources = [file for file in code if file.suffix == ".cpp"]
    print("file lines, median / p90 / max: headers", spread([len(lines(file)) for file in headers]))
    print("                                sources", spread([len(lines(file)) for file in sources]))
    functions = function_lengths(sources)
    if functions:
        long = sum(length > 50 for length in functions)
        print(f"function lines, median / p90 / max: {spread(functions)}, {long} of {len(functions)} above 50")
    print(f"comments: headers {comment_share(headers)}, sources {comment_share(sources)}", end=", ")
    print("sources of solve", comment_share([file for file in sources if "solve" in file.parts]))
    count = {name: sum(len(lines(file)) for file in files) for name, files in (("code", code), ("tests", tests))}
    print(f"test lines : code lines: {count['tests']} : {count['code']} = {count['tests'] / count['code']:.2f}")
    print("TODO marks:", sum("TODO" in line for file in everything for line in lines(file)))
    folders: dict[pathlib.Path, int] = {}
    for file in everything:
        folders[file.parent] = folders.get(file.parent, 0) + 1
    largest = sorted(folders.items(), key=lambda item: -item[1])[:5]
    print("files in one folder:", ", ".join(f"{folder.relative_to(ROOT / 'src')} {n}" for folder, n in largest))


if __name__ == "__main__":
    main()
