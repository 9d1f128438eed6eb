"""Builds, and how they are stopped."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import awari


def all_boards(stones: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """All boards of so many stones, those too that no move leads to."""
    bars = np.array(list(itertools.combinations(range(stones + 11), 11)))
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), stones + 11)])
    return (np.diff(edges, axis=1) - 1).astype(np.uint8)


def test_counts_are_the_published_ones(tmp_path: Path) -> None:
    rows = (ROOT / "tests" / "data" / "awari_counts.tsv").read_text().splitlines()
    names, *numbers = [row.split("\t") for row in rows if not row.startswith("#")]
    published = {int(row[0]): dict(zip(names, map(int, row))) for row in numbers}
    told: list[awari.Progress] = []
    built = awari.build(stones=9, dir=tmp_path, progress=told.append)
    assert [table.stones for table in built] == list(range(10))
    tables = awari.Tablebase(tmp_path)
    for table in built[1:]:
        row = published[table.stones]
        assert table.positions == table.wins + table.draws + table.losses == row["stored"]
        values = tables.probe_many(all_boards(table.stones)).astype(int)
        found = [len(values), (values > 0).sum(), (values == 0).sum(), (values < 0).sum(), values.sum()]
        assert found == [row[name] for name in ("boards", "win", "draw", "loss", "sum_of_values")]
        stored = tables.values(table.stones)
        assert (table.wins, table.losses) == ((stored > 0).sum(), (stored < 0).sum())
        assert table.new and table.seconds is not None and not table.has_depths
    assert [news.stones for news in told if news.stage == "built"] == list(range(10))
    assert all(0 <= news.done <= news.total for news in told)
    again = awari.build(stones=9, dir=tmp_path, depth=True)
    assert all(not table.new and table.has_depths and table.seconds is None for table in again)
    assert [table.content_hash for table in again] == [table.content_hash for table in built]


def test_the_same_files_whatever_the_threads(tmp_path: Path) -> None:
    for name, options in {"one": {"threads": 1}, "three": {"threads": 3}, "little": {"memory": 25_600_000}}.items():
        awari.build(stones=9, dir=tmp_path / name, **options)
    files = [(tmp_path / name / "awari" / "09.awari").read_bytes() for name in ("one", "three", "little")]
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"stones": 47}, awari.OutOfRange, "47 stones"),
        ({"stones": 49}, awari.OutOfRange, "49 stones"),
        ({"stones": -1}, awari.OutOfRange, "-1 stones: a game has 0 to 48"),
        ({"stones": 2**100}, awari.OutOfRange, "a game has 0 to 48"),
        ({"stones": 2, "threads": 1025}, ValueError, "threads is 1025: expected 0 to 1024"),
        ({"stones": 2, "threads": -1}, OverflowError, "negative"),
        ({"stones": 2, "rules": "oware"}, ValueError, "expected awari"),
        ({"stones": 2, "checkpoint": -1.0}, ValueError, "checkpoint is -1: expected seconds, 0 or more"),
        ({"stones": 2, "checkpoint": float("nan")}, ValueError, "checkpoint"),
        ({"stones": 2, "progress": 7}, TypeError, "not callable"),
        ({"stones": 40}, awari.BuildError, "not enough"),
        ({}, TypeError, "stones"),
    ],
)
def test_builds_that_are_refused(options: dict[str, object], error: type[Exception], words: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=words):
        awari.build(dir=tmp_path, **options)


def test_an_exception_of_the_callback_stops_the_build(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def progress(news: awari.Progress) -> None:
        if news.stage == "built" and news.stones == 5:
            raise Enough

    with pytest.raises(Enough):
        awari.build(stones=30, dir=tmp_path, progress=progress)
    there = awari.Tablebase(tmp_path).stones()
    assert there[:6] == list(range(6)) and 30 not in there
    assert list((tmp_path / "awari").glob("*.tmp*")) == []
    awari.build(stones=8, dir=tmp_path)


def test_keyboard_interrupt_stops_the_build(tmp_path: Path) -> None:
    code = """
import sys, awari
def progress(news):
    if news.stage == "built" and news.stones == 12:
        print("go", flush=True)
try:
    awari.build(stones=26, dir=sys.argv[1], progress=progress)
except KeyboardInterrupt:
    print("interrupted", awari.Tablebase(sys.argv[1]).stones()[-1] < 26, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "go\n"
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    assert rest == "interrupted True\n"
    assert process.returncode == 0
    assert awari.Tablebase(tmp_path).stones()[:13] == list(range(13))


def test_two_builds_in_one_directory(tmp_path: Path) -> None:
    refused: list[BaseException] = []

    def progress(news: awari.Progress) -> None:
        if not refused:
            try:
                awari.build(stones=3, dir=tmp_path)
            except awari.BuildError as error:
                refused.append(error)

    # From a thread that is not the main one, too.
    thread = threading.Thread(target=lambda: awari.build(stones=14, dir=tmp_path, progress=progress))
    thread.start()
    thread.join()
    assert len(refused) == 1 and "another build is at work" in str(refused[0])
    assert awari.Tablebase(tmp_path).stones() == list(range(15))
