"""Boards and rules, compared with tests/data, which two other programs wrote."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from conftest import data

import awari


def test_a_board_from_everything_that_is_one() -> None:
    pits = (0, 1, 0, 2, 1, 1, 1, 0, 2, 1, 2, 1)
    board = awari.Board(pits)
    others = [
        board,
        list(pits),
        np.array(pits),
        np.array(pits, dtype=np.uint8),
        "0 1 0 2 1 1 / 1 0 2 1 2 1",
        "0,1,0,2,1,1|1,0,2,1,2,1",
        "0-1-0-2-1-1-1-0-2-1-2-1-18-18-S",
        "0 | 18 18 | 0 1 0 2 1 1 1 0 2 1 2 1",
    ]
    assert [awari.Board(other) for other in others] == [board] * len(others)
    assert board.pits == pits and tuple(board) == pits and board[-1] == 1
    assert (board.mover, board.waiting) == (pits[:6], pits[6:])
    assert (board.stones, board.settle, board.is_reachable, len(board)) == (12, -2, True, 12)
    assert board.swapped().pits == pits[6:] + pits[:6]
    assert (str(board), repr(board)) == (others[4], f"Board('{others[4]}')")
    assert pickle.loads(pickle.dumps(board)) == board
    assert {board: 1}[awari.Board(others[4])] == 1
    assert np.array_equal(np.asarray(board), pits) and np.asarray(board).dtype == np.uint8
    assert awari.Board.start().stones == 48


@pytest.mark.parametrize(
    ("pits", "error", "words"),
    [
        ([4] * 11, awari.InvalidBoard, "11 numbers"),
        ([4] * 13, awari.InvalidBoard, "more than 12 numbers"),
        ([], awari.InvalidBoard, "0 numbers"),
        ([4] * 11 + [5], awari.InvalidBoard, "49 stones"),
        ([0] * 11 + [-1], awari.InvalidBoard, "pit 11 has -1 stones"),
        ([2**70] + [0] * 11, awari.InvalidBoard, "pit 0 has 1180591620717411303424 stones"),
        ([0.0] * 12, TypeError, "pit 0 is 0.0"),
        ([0] * 11 + [float("nan")], TypeError, "pit 11 is nan"),
        ([None] * 12, TypeError, "pit 0 is None"),
        (np.zeros(12), TypeError, "pit 0"),
        (np.zeros((1, 12), int), TypeError, "pit 0"),
        (7, TypeError, "not int"),
        (None, TypeError, "NoneType"),
        ("4 4 x 4 4 4 / 4 4 4 4 4 4", awari.InvalidBoard, '"x" at character 5'),
        ("", awari.InvalidBoard, "expected a position"),
        ("\ud800", awari.InvalidBoard, "surrogates"),
        (b"123456789012", awari.InvalidBoard, "stones"),
    ],
)
def test_what_is_no_board(pits: object, error: type[Exception], words: str, tables: awari.Tablebase) -> None:
    for use in (awari.Board, awari.legal_moves, tables.probe, tables.line):
        with pytest.raises(error, match=words.replace("(", r"\(")):
            use(pits)


def test_numbers_without_end_and_interrupts() -> None:
    with pytest.raises(awari.InvalidBoard, match="more than 12 numbers"):
        awari.Board(itertools.repeat(4))

    class Interrupted:
        def __index__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        awari.Board([Interrupted()] * 12)


def test_moves_as_other_programs_have_them() -> None:
    lines = data("moves.jsonl")
    assert len(lines) > 200
    for line in lines:
        board, rules = line["board"], line["rules"]
        found = [
            {"pit": m.pit, "captured": m.captured, "slam": m.slam, "child": list(m.child)}
            for m in awari.legal_moves(board, rules)
        ]
        assert found == line["moves"], line
        for move in line["moves"]:
            assert list(awari.play(board, move["pit"], rules).child) == move["child"]
        for illegal in line["illegal"]:
            with pytest.raises(awari.IllegalMove):
                awari.play(board, illegal["pit"], rules)
        end = awari.game_end(board, rules)
        assert (end and end[0]) == line["end"], line


@pytest.mark.parametrize(
    ("pit", "words"), [(0, "pit 0 is empty"), (6, "0 to 5"), (-1, "0 to 5"), (5, "a grand slam"), (2**63 - 1, "0 to 5")]
)
def test_moves_that_cannot_be_played(pit: int, words: str) -> None:
    with pytest.raises(awari.IllegalMove, match=words):
        awari.play([0, 0, 0, 0, 1, 2, 1, 1, 0, 0, 0, 0], pit)


def test_unknown_rules() -> None:
    with pytest.raises(ValueError, match="expected awari, abapa or slam-ends"):
        awari.legal_moves(awari.Board.start(), "Awari")
