"""What the documents show is run: docstrings, notebooks, the guide's page."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import SOURCE
from nbclient import NotebookClient

import hyobscure

MODULES = [
    module.name for module in pkgutil.iter_modules(hyobscure.__path__) if not module.ispkg and module.name != "_core"
]


@pytest.mark.parametrize("name", ["__init__", *MODULES])
def test_the_examples_of_the_docstrings_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = hyobscure if name == "__init__" else importlib.import_module(f"hyobscure.{name}")
    assert doctest.testmod(module).failed == 0


def test_what_users_call_has_an_example():
    for documented in (
        hyobscure.HyObscure,
        hyobscure.HyObscure.from_spec,
        hyobscure.inspect,
        hyobscure.init,
        hyobscure.compare,
        hyobscure.SamePeople,
        hyobscure.Release,
        hyobscure.audit,
        hyobscure.verify,
        hyobscure.settings,
        hyobscure.InputError,
    ):
        assert ">>>" in documented.__doc__, documented


@pytest.mark.parametrize("notebook", sorted((SOURCE / "examples").glob("*.ipynb")), ids=lambda file: file.stem)
def test_the_notebooks_run(notebook, tmp_path):
    content = nbformat.read(notebook, as_version=4)
    assert not any(cell.get("outputs") for cell in content.cells), "outputs are made, not stored"
    NotebookClient(
        content, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()


@pytest.mark.parametrize("page", ["docs/python.md", "docs/spark.md", "README.md"])
def test_the_python_of_the_documents_runs_and_prints_what_they_show(page, tmp_path):
    text = (SOURCE / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```(?:\s*```\n(.*?)```)?", text, re.S)
    blocks = [(code, output) for code, output in blocks if not code.startswith("# job.py")]  # that one is for a cluster
    assert blocks
    # They are trials, with seeds, so that what they print can be compared.
    trials = 'import warnings, hyobscure\nwarnings.simplefilter("ignore", hyobscure.SeededWarning)'
    script = "\n".join([trials, *(code for code, _ in blocks)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},  # an environment that is not activated
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    shown = [line for _, output in blocks for line in output.splitlines()]
    assert shown, "no output is shown"
    real = done.stdout.splitlines()
    for line in shown:
        assert line in real, f"{page} shows {line!r}, which is not printed"


def test_types_are_there_for_checkers():
    folder = SOURCE / "python" / "hyobscure"
    installed = importlib.import_module("hyobscure").__path__[0]
    import pathlib

    stub = (pathlib.Path(installed) / "_core.pyi").read_text()
    assert (pathlib.Path(installed) / "py.typed").exists()
    for name in ("fit", "publish", "drawn_rows", "release_rows", "verify", "audit", "synth", "settings"):
        assert f"def {name}(" in stub
    compile(stub, "_core.pyi", "exec")
    assert folder.exists()


def test_the_wheel_carries_its_libraries():
    """What the package loads beside the C and C++ runtimes is its own; ssl works after it."""
    script = """
import sys
before = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
import hyobscure._core as core
after = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print(*sorted(after - before), sep="\\n")
import ssl
"""
    done = subprocess.run(
        [sys.executable, "-c", "import numpy, scipy, sklearn.base\n" + script],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert any("libduckdb" in file for file in loaded) and any("libxgboost" in file for file in loaded)
    of_the_machine = [
        file
        for file in loaded
        if "site-packages" not in file and not re.search(r"/lib(c|m|stdc\+\+|gcc_s|pthread|dl|rt)[.-]", file)
    ]
    assert not [file for file in of_the_machine if "python" not in file], of_the_machine


def test_the_package_needs_no_optional_library():
    """A process in which none of them can be imported."""
    hidden = ["pandas", "polars", "pyarrow", "duckdb", "matplotlib", "tqdm"]
    script = f"""
import sys
for name in {hidden!r}:
    sys.modules[name] = None
import numpy, hyobscure
random = numpy.random.default_rng(0)
y = random.integers(20, 60, 200)
X = random.poisson(2 + y[:, None] / 20 * numpy.arange(1, 5))
model = hyobscure.HyObscure(people=(40, 200), values=(2, 40), method="exact", random_state=1, settings={{"channel.budget_share": 0.5}}).fit(X, y)
release = model.publish()
assert release.verify().passed and release.X.shape == X.shape and len(release.y) == 200
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
