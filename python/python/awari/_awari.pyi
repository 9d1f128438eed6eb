# The types of the extension module. What each does is in its docstring: help(awari.Tablebase).
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal, SupportsIndex, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Board",
    "Built",
    "Grade",
    "Line",
    "Move",
    "MoveValue",
    "Ply",
    "Probe",
    "Progress",
    "Tablebase",
    "__version__",
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

__version__: str

_BoardLike: TypeAlias = Board | str | Sequence[SupportsIndex] | NDArray[np.integer[Any]]
_Rules: TypeAlias = Literal["awari", "abapa", "slam-ends"]
_End: TypeAlias = Literal["no-stones", "cannot-feed", "all-slams"]
_Outcome: TypeAlias = Literal["win", "draw", "loss"]
_Path: TypeAlias = str | os.PathLike[str]

@final
class Board:
    def __new__(cls, pits: _BoardLike) -> Board: ...
    @staticmethod
    def start() -> Board: ...
    @property
    def pits(self) -> tuple[int, ...]: ...
    @property
    def mover(self) -> tuple[int, ...]: ...
    @property
    def waiting(self) -> tuple[int, ...]: ...
    @property
    def stones(self) -> int: ...
    @property
    def is_reachable(self) -> bool: ...
    @property
    def settle(self) -> int: ...
    def swapped(self) -> Board: ...
    def __len__(self) -> int: ...
    def __getitem__(self, pit: int, /) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __hash__(self) -> int: ...
    def __lt__(self, other: Board, /) -> bool: ...
    def __le__(self, other: Board, /) -> bool: ...
    def __gt__(self, other: Board, /) -> bool: ...
    def __ge__(self, other: Board, /) -> bool: ...

@final
class Move:
    pit: Final[int]
    captured: Final[int]
    slam: Final[bool]
    child: Final[Board]

@final
class MoveValue:
    pit: Final[int]
    captured: Final[int]
    slam: Final[bool]
    child: Final[Board]
    child_value: Final[int]
    child_depth: Final[int | None]
    value: Final[int]
    depth: Final[int | None]
    best: Final[bool]

@final
class Probe:
    value: Final[int]
    depth: Final[int | None]

@final
class Ply:
    board: Final[Board]
    value: Final[int]
    depth: Final[int | None]
    pit: Final[int]
    captured: Final[int]

@final
class Line:
    plies: Final[list[Ply]]
    last: Final[Board]
    finish: Final[_End | Literal["endless-play", "not-known"]]
    repeats: Final[int | None]
    captured: Final[tuple[int, int]]
    difference: Final[int]
    def __len__(self) -> int: ...

@final
class Grade:
    pit: Final[int]
    before: Final[int]
    after: Final[int]
    loss: Final[int]
    best: Final[list[int]]
    forced: Final[bool]
    outcome: Final[tuple[_Outcome, _Outcome] | None]
    depth: Final[int | None]
    missed: Final[int | None]
    @property
    def is_best(self) -> bool: ...
    @property
    def is_blunder(self) -> bool | None: ...

@final
class Built:
    stones: Final[int]
    positions: Final[int]
    wins: Final[int]
    draws: Final[int]
    losses: Final[int]
    content_hash: Final[str]
    new: Final[bool]
    seconds: Final[float | None]
    has_depths: Final[bool]

@final
class Progress:
    stage: Final[str]
    stones: Final[int]
    done: Final[int]
    total: Final[int]

@final
class Tablebase:
    def __new__(cls, dir: _Path = "databases", rules: _Rules | str = "awari") -> Tablebase: ...
    @property
    def dir(self) -> os.PathLike[str]: ...
    @property
    def rules(self) -> _Rules: ...
    def stones(self) -> list[int]: ...
    def depth_stones(self) -> list[int]: ...
    def probe(self, board: _BoardLike) -> Probe: ...
    def moves(self, board: _BoardLike) -> list[MoveValue]: ...
    def best_move(self, board: _BoardLike) -> MoveValue | None: ...
    def line(self, board: _BoardLike) -> Line: ...
    @overload
    def probe_many(self, boards: ArrayLike, *, depths: Literal[False] = False) -> NDArray[np.int8]: ...
    @overload
    def probe_many(
        self, boards: ArrayLike, *, depths: Literal[True]
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]: ...
    def move_values(self, boards: ArrayLike) -> NDArray[np.int8]: ...
    def values(self, stones: int) -> NDArray[np.int8]: ...
    def depths(self, stones: int) -> NDArray[np.uint16]: ...

def legal_moves(board: _BoardLike, rules: _Rules | str = "awari") -> list[Move]: ...
def play(board: _BoardLike, pit: int, rules: _Rules | str = "awari") -> Move: ...
def game_end(board: _BoardLike, rules: _Rules | str = "awari") -> tuple[_End, int] | None: ...
def positions(stones: int) -> int: ...
def boards(stones: int, places: ArrayLike | None = None) -> NDArray[np.uint8]: ...
def index_of(boards: ArrayLike) -> NDArray[np.int64]: ...
def build(
    *,
    stones: int,
    rules: _Rules | str = "awari",
    dir: _Path = "databases",
    depth: bool = False,
    progress: Callable[[Progress], object] | None = None,
    compress: bool = False,
    threads: int = 0,
    memory: int | None = None,
    checkpoint: float | None = None,
) -> tuple[Built, ...]: ...
def grade(tables: Tablebase, board: _BoardLike, pit: int, stores: tuple[int, int] | None = None) -> Grade: ...
def sample(
    tables: Tablebase,
    count: int,
    stones: int | tuple[int, int],
    seed: int,
    games: bool,
    only_one_best: bool,
    min_loss: int,
    outcome: str | None,
    depth: int | tuple[int, int] | None,
    tries: int | None,
) -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int32], NDArray[np.int8]]: ...
