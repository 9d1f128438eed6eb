"""OpenSpiel's game `oware`: its states as boards, and its bots graded against perfect play.

Its moves are those of rules 'abapa'. It ends some games that the tables play on: see docs/python.md.
Needs `pip install open_spiel`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyspiel

from . import _awari
from .errors import WrongRules

if TYPE_CHECKING:
    from ._awari import Board, Tablebase

__all__ = ["RULES", "PerfectBot", "Report", "ByStones", "board_from_state", "grade_bot", "stores_from_state"]

RULES = "abapa"
"""The rules of OpenSpiel's moves."""


def _observation(state: pyspiel.State) -> str:
    name = state.get_game().get_type().short_name
    if name != "oware":
        raise ValueError(f"a state of game {name}: expected oware")
    if state.is_terminal():
        raise ValueError("the game is over: nobody is to move")
    return str(state.observation_string(state.current_player()))


def board_from_state(state: pyspiel.State) -> Board:
    """The board of a state of `oware`, seen from the player to move. Actions are pits, 0..5, of the same player.

    Raises ValueError for a state of another game, or one in which the game is over.
    """
    return _awari.Board(_observation(state))


def stores_from_state(state: pyspiel.State) -> tuple[int, int]:
    """What the player to move and his opponent have captured. Raises what `board_from_state` raises."""
    first, second = (int(score) for score in _observation(state).split("|")[1].split())
    return (first, second) if state.current_player() == 0 else (second, first)


def _check(tables: Tablebase) -> None:
    if tables.rules != RULES:
        raise WrongRules(f"tables of rules {tables.rules}: OpenSpiel's oware is of rules {RULES}")


class PerfectBot(pyspiel.Bot):  # type: ignore[misc]
    """A bot of OpenSpiel that plays the best move by the tables, and any move where there is no table."""

    def __init__(self, tables: Tablebase, seed: int = 1) -> None:
        super().__init__()
        _check(tables)
        self._tables = tables
        self._stones = frozenset(tables.stones())
        self._random = random.Random(seed)

    def step(self, state: pyspiel.State) -> int:
        """The action to play."""
        board = board_from_state(state)
        best = self._tables.best_move(board) if board.stones in self._stones else None
        return self._random.choice(state.legal_actions()) if best is None else best.pit

    def restart_at(self, state: pyspiel.State) -> None:
        """Nothing: it remembers nothing."""


@dataclass(frozen=True)
class ByStones:
    """Moves with a choice, at one number of stones on the board."""

    moves: int = 0
    optimal: int = 0
    """How many of them lost nothing."""
    loss: int = 0
    """Stones lost by all of them."""
    blunders: int = 0
    """How many of them changed the outcome of the game for the worse."""

    @property
    def mean_loss(self) -> float:
        """Stones lost by a move; NaN without moves."""
        return self.loss / self.moves if self.moves else float("nan")

    def __add__(self, other: ByStones) -> ByStones:
        return ByStones(
            self.moves + other.moves,
            self.optimal + other.optimal,
            self.loss + other.loss,
            self.blunders + other.blunders,
        )


@dataclass(frozen=True)
class Report:
    """What `grade_bot` found. Moves without a choice are only counted in `forced`."""

    by_stones: dict[int, ByStones]
    forced: int
    results: dict[str, int]
    """Games by OpenSpiel's result for the bot: 'win', 'draw', 'loss'."""

    @property
    def total(self) -> ByStones:
        """The moves at all numbers of stones."""
        return sum(self.by_stones.values(), ByStones())

    @property
    def moves(self) -> int:
        """Moves with a choice."""
        return self.total.moves

    @property
    def share_optimal(self) -> float:
        """Share of the moves that lost nothing, 0..1; NaN without moves."""
        total = self.total
        return total.optimal / total.moves if total.moves else float("nan")

    @property
    def mean_loss(self) -> float:
        """Stones lost by a move."""
        return self.total.mean_loss

    @property
    def blunders(self) -> int:
        """Moves that made a draw or a loss of a win, or a loss of a draw, of the whole game."""
        return self.total.blunders

    def __str__(self) -> str:
        results = ", ".join(f"{count} {name}" for name, count in self.results.items())
        return (
            f"{self.moves} moves, {self.share_optimal:.1%} optimal, mean loss {self.mean_loss:.3f} stones, "
            f"{self.blunders} blunders; games: {results}"
        )


def _openings(tables: Tablebase, most: int, seed: int) -> Iterator[pyspiel.State]:
    """States after random moves of both players, the first of each game with at most `most` stones, that
    players 0 and 1 in turn do not lose yet."""
    rng = random.Random(seed)
    game = pyspiel.load_game("oware")
    player = 0
    while True:
        state = game.new_initial_state()
        while not state.is_terminal() and board_from_state(state).stones > most:
            state.apply_action(rng.choice(state.legal_actions()))
        if state.is_terminal() or 2 * board_from_state(state).stones < most:
            continue
        own, other = stores_from_state(state)
        gain = own - other + tables.probe(board_from_state(state)).value
        if (gain if state.current_player() == player else -gain) >= 0:
            yield state
            player = 1 - player


def grade_bot(
    bot: Any,
    tables: Tablebase,
    *,
    games: int = 20,
    stones: int | None = None,
    seed: int = 1,
) -> Report:
    """Plays a bot against perfect play and grades its moves by the tables, of rules 'abapa'.

    Each game begins with random moves of both players, the same for the same seed, until at most `stones`
    stones are on the board (None: as many as there are tables for, one after the other from 0); of such
    games those are played on that the bot wins or draws if it plays best. It is player 0 and
    player 1 in turn. What a move loses is counted in stones; OpenSpiel's bots play for
    the outcome alone, which is what `blunders` are about.

    bot: anything with the methods of `pyspiel.Bot`. It is told of all moves by `inform_action`.
    Raises WrongRules, MissingTable, CorruptTable, ValueError.
    """
    _check(tables)
    there = set(tables.stones())
    complete = next(number for number in range(50) if number not in there) - 1
    most = complete if stones is None else stones
    if not 2 <= most <= complete:
        raise ValueError(f"stones is {most}: there are tables of 0 to {complete} stones, and it takes 2")
    perfect = PerfectBot(tables, seed)
    by_stones: dict[int, ByStones] = {}
    forced = 0
    results = {"win": 0, "draw": 0, "loss": 0}
    for number, state in zip(range(games), _openings(tables, most, seed)):
        own = number % 2
        bot.restart()
        # From the start: some bots follow the game by what they are told.
        told = state.get_game().new_initial_state()
        for action in state.history():
            bot.inform_action(told, told.current_player(), action)
            told.apply_action(action)
        while not state.is_terminal():
            if state.current_player() != own:
                action = perfect.step(state)
                bot.inform_action(state, state.current_player(), action)
            else:
                action = bot.step(state)
                grade = _awari.grade(tables, board_from_state(state), action, stores_from_state(state))
                if grade.forced:
                    forced += 1
                else:
                    on_board = board_from_state(state).stones
                    move = ByStones(1, int(grade.is_best), grade.loss, int(bool(grade.is_blunder)))
                    by_stones[on_board] = by_stones.get(on_board, ByStones()) + move
            state.apply_action(action)
        won = state.returns()[own]
        results["win" if won > 0 else "loss" if won < 0 else "draw"] += 1
    return Report(dict(sorted(by_stones.items())), forced, results)
