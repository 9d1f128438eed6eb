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


def example(name: str, *arguments: object) -> str:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_grade_mcts(tmp_path: Path) -> None:
    picture = tmp_path / "mcts.png"
    out = example("grade_mcts.py", "--dir", tmp_path, "--games", 12, "--stones", 10, "--out", picture)
    shares = re.findall(r"simulations: (\d+) moves, ([\d.]+)% optimal", out)
    assert len(shares) == 3 and all(int(moves) > 20 and 0 < float(share) < 100 for moves, share in shares)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_train_value(tmp_path: Path) -> None:
    out = example("train_value.py", "--dir", tmp_path, "--count", 60_000, "--epochs", 4, "--stones", 10)
    found = re.search(r"a constant ([\d.]+) stones, the network ([\d.]+)", out)
    assert found is not None and float(found[2]) < 0.75 * float(found[1])


def test_docstrings_run(tmp_path: Path) -> None:
    failed, run = doctest.testmod(awari, extraglobs={"tmp": str(tmp_path)})
    assert failed == 0 and run > 5


def test_readme_and_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for page in ("README.md", "docs/python.md"):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
        assert blocks, page
        names: dict[str, object] = {}
        for block in blocks:
            exec(compile(block, page, "exec"), names)


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
    examples = [str(EXAMPLES / name) for name in ("train_value.py", "grade_mcts.py")]
    cache = ["--cache-dir", str(tmp_path)]
    for arguments in (["mypy", *cache, "-p", "awari"], ["mypy", *cache, *examples], ["mypy.stubtest", "awari._awari"]):
        done = subprocess.run(
            [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT / "python"
        )
        assert done.returncode == 0, done.stdout + done.stderr
