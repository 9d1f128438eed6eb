"""Exact endgame databases of Awari (Oware, the mancala of 6x2 pits and 48 stones).

>>> import awari
>>> _ = awari.build(stones=6, depth=True, dir=tmp)
>>> tables = awari.Tablebase(tmp)
>>> board = awari.Board('0 0 1 0 1 1 / 1 0 0 1 1 0')
>>> tables.probe(board)
Probe(value=6, depth=1)
>>> tables.best_move(board)
MoveValue(pit=5, value=6, best=True, captured=2, depth=1)
>>> boards = awari.boards(6)                        # uint8, (12375, 12)
>>> values = tables.probe_many(boards)              # int8, (12375,)
>>> bool((values == tables.values(6)).all())
True

Values are seen from the player to move: the stones he still captures minus those of his opponent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _awari
from ._awari import (
    Board,
    Built,
    Grade,
    Line,
    Move,
    MoveValue,
    Ply,
    Probe,
    Progress,
    Tablebase,
    boards,
    build,
    game_end,
    grade,
    index_of,
    legal_moves,
    play,
    positions,
)
from .errors import (
    AwariError,
    BuildError,
    CorruptTable,
    FileError,
    IllegalMove,
    InvalidBoard,
    MissingDepths,
    MissingTable,
    OutOfRange,
    UnsupportedTable,
    WrongRules,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__version__: str = _awari.__version__

NO_MOVE = -128
"""In arrays of values of moves: this move is not legal."""

RULES = ("awari", "abapa", "slam-ends")
"""The rule sets. They differ in the grand slam: illegal, captures nothing, ends the game."""


class Samples(NamedTuple):
    """Positions drawn at random, with what is known about them."""

    boards: NDArray[np.uint8]
    """Shape (N, 12), the pits of the player to move first."""
    values: NDArray[np.int8]
    """Shape (N,)."""
    depths: NDArray[np.int32]
    """Shape (N,), -1 where there is no table of depths."""
    move_values: NDArray[np.int8]
    """Shape (N, 6), NO_MOVE where a move is not legal."""


def sample(
    tables: Tablebase,
    count: int = 100,
    *,
    stones: int | tuple[int, int],
    seed: int = 1,
    games: bool = False,
    only_one_best: bool = False,
    min_loss: int = 0,
    outcome: str | None = None,
    depth: int | tuple[int, int] | None = None,
    tries: int | None = None,
) -> Samples:
    """Draws positions at random. The same seed draws the same ones from the same tables everywhere.

    stones: a number, or a pair (first, last), each number as likely.
    games: positions of games from the start in which both players choose any legal move, instead of
        any position of a table.
    only_one_best: only those with one best move and another. min_loss: only those whose worst move
        loses so many stones. outcome: only 'win', 'draw' or 'loss'. depth: a number or a pair.
    tries: positions to look at before giving up; 1,000 for each one wanted, and at least 100,000.

    Every position has a legal move and comes once. There are fewer than `count` if no more are found.
    Raises MissingTable, MissingDepths, OutOfRange, CorruptTable.
    """
    return Samples(
        *_awari.sample(tables, count, stones, seed, games, only_one_best, min_loss, outcome, depth, tries)
    )


__all__ = [
    "NO_MOVE",
    "RULES",
    "AwariError",
    "Board",
    "BuildError",
    "Built",
    "CorruptTable",
    "FileError",
    "Grade",
    "IllegalMove",
    "InvalidBoard",
    "Line",
    "MissingDepths",
    "MissingTable",
    "Move",
    "MoveValue",
    "OutOfRange",
    "Ply",
    "Probe",
    "Progress",
    "Samples",
    "Tablebase",
    "UnsupportedTable",
    "WrongRules",
    "boards",
    "build",
    "game_end",
    "grade",
    "index_of",
    "legal_moves",
    "play",
    "positions",
    "sample",
]
