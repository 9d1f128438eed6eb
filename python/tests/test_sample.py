"""Positions drawn at random."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import MOST

import awari


@pytest.mark.parametrize("games", [False, True])
def test_the_same_as_the_program_draws(games: bool, databases: Path, program: str, tables: awari.Tablebase) -> None:
    samples = awari.sample(tables, 200, stones=(5, MOST), seed=3, games=games)
    command = [program, "--dir", str(databases), "sample", "--stones", f"5..{MOST}", "--count", "200", "--seed", "3"]
    done = subprocess.run(command + ["--reachable"] * games, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert np.array_equal(samples.values, [line["value"] for line in lines])
    assert np.array_equal(samples.depths, [line["depth"] for line in lines])
    assert np.array_equal(samples.values, tables.probe_many(samples.boards))
    assert np.array_equal(samples.move_values, tables.move_values(samples.boards))
    assert (samples.boards.dtype, samples.values.dtype, samples.depths.dtype, samples.move_values.dtype) == (
        np.uint8,
        np.int8,
        np.int32,
        np.int8,
    )
    assert len(np.unique(samples.boards, axis=0)) == 200


def test_filters(tables: awari.Tablebase) -> None:
    found = awari.sample(tables, 100, stones=10, only_one_best=True, min_loss=3, outcome="win", depth=(3, 9))
    legal = np.where(found.move_values == awari.NO_MOVE, 99, found.move_values)
    assert (found.boards.sum(axis=1) == 10).all() and (found.values > 0).all()
    assert (found.values - legal.min(axis=1) >= 3).all()
    assert ((found.move_values == found.values[:, None]).sum(axis=1) == 1).all()
    assert ((found.depths >= 3) & (found.depths <= 9)).all()


def test_as_many_as_there_are(tables: awari.Tablebase) -> None:
    assert len(awari.sample(tables, 1000, stones=1, tries=5000).values) == 1
    assert awari.sample(tables, 0, stones=5).boards.shape == (0, 12)


def test_wrong_arguments(tables: awari.Tablebase) -> None:
    with pytest.raises(awari.MissingTable):
        awari.sample(tables, 1, stones=MOST + 1)
    with pytest.raises(awari.OutOfRange):
        awari.sample(tables, 1, stones=47)
    for wrong in ((9, 5), "x", (1, 2, 3), (-1, 3), 5.5):
        with pytest.raises(ValueError, match="stones is"):
            awari.sample(tables, 1, stones=wrong)
    with pytest.raises(ValueError, match="expected win, draw or loss"):
        awari.sample(tables, 1, stones=5, outcome="won")
    with pytest.raises(OverflowError):
        awari.sample(tables, -1, stones=5)
