"""What comes with the package: examples, types, docstrings."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from conftest import ROOT

import awari

EXAMPLES = ROOT / "python" / "examples"


def run_script(path: Path, *arguments: object) -> str:
    command = [sys.executable, str(path), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_grade_mcts(tmp_path: Path) -> None:
    picture = tmp_path / "mcts.png"
    out = run_script(EXAMPLES / "grade_mcts.py", "--dir", tmp_path, "--games", 12, "--stones", 10, "--out", picture)
    shares = re.findall(r"simulations: (\d+) moves, ([\d.]+)% optimal", out)
    assert len(shares) == 3 and all(int(moves) > 20 and 0 < float(share) < 100 for moves, share in shares)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_train_value(tmp_path: Path) -> None:
    out = run_script(EXAMPLES / "train_value.py", "--dir", tmp_path, "--count", 60_000, "--epochs", 4, "--stones", 10)
    found = re.search(r"a constant ([\d.]+) stones, the network ([\d.]+)", out)
    assert found is not None and float(found[2]) < 0.75 * float(found[1])


def test_docstrings_run(tmp_path: Path) -> None:
    failed, run = doctest.testmod(awari, extraglobs={"tmp": str(tmp_path)})
    assert failed == 0 and run > 5


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_pages_are_right(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples of a page, one after another, give what the page says."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    failed, run = doctest.DocTestRunner().run(examples)
    assert failed == 0 and run > 3


def test_everything_says_what_it_does() -> None:
    assert sorted(awari.__all__, key=lambda name: (name.upper() != name, name)) == awari.__all__
    for name in awari.__all__:
        public = getattr(awari, name)
        if isinstance(public, type):
            assert public.__doc__, name
            for part, member in vars(public).items():
                if not part.startswith("_") and isinstance(member, (types.MethodDescriptorType, types.BuiltinFunctionType)):
                    assert member.__doc__, (name, part)
        elif callable(public):
            assert inspect.getdoc(public), name


def test_types(tmp_path: Path) -> None:
    # In a directory without sources, what imports awari finds the package that is installed.
    python = ROOT / "python"
    mypy = ["mypy", "--config-file", str(python / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    for arguments in (
        [*mypy, str(python / "python" / "awari")],
        [*mypy, *(str(python / name) for name in ("examples", "benches"))],
        ["mypy.stubtest", "awari._awari"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_types_say_what_is_wrong(tmp_path: Path) -> None:
    """The types are found where the package is installed, and they are not just anything."""
    (tmp_path / "wrong.py").write_text("import awari\nawari.Tablebase('x').probe(7)\nawari.positions('7')\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "wrong.py"], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )
    assert re.findall(r"wrong.py:(\d): error: .*\[(.*)\]", done.stdout) == [("2", "arg-type"), ("3", "arg-type")]


def test_the_benchmark_runs(tmp_path: Path) -> None:
    small = ["--dir", tmp_path, "--stones", 8, "--boards", 5000, "--loop", 500, "--rounds", 1]
    assert "probe_many" in run_script(ROOT / "python" / "benches" / "probe_many.py", *small)
