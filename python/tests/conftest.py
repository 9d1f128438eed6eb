"""Tables of all rules, built once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import awari

ROOT = Path(__file__).resolve().parents[2]
MOST = 13
"""Stones of the largest tables."""


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("databases")
    for rules in awari.RULES:
        awari.build(stones=MOST, rules=rules, depth=True, dir=directory)
    return directory


@pytest.fixture(scope="session")
def tables(databases: Path) -> awari.Tablebase:
    return awari.Tablebase(databases)


@pytest.fixture(scope="session")
def program() -> str:
    """The program of the Rust side; scripts/python-tests builds it."""
    path = os.environ.get("AWARI")
    if not path:
        pytest.fail("set AWARI to the program awari, as scripts/python-tests does")
    return path


@pytest.fixture
def run(databases: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Python in another process."""

    def run(code: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)

    return run


def data(name: str) -> list[dict[str, Any]]:
    """The lines of a file of tests/data."""
    lines = (ROOT / "tests" / "data" / name).read_text().splitlines()
    return [json.loads(line) for line in lines]
