"""OpenSpiel's oware plays by the rules `abapa`, and ends as docs/python.md says."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyspiel
import pytest

import awari
from awari.openspiel import PerfectBot, board_from_state, grade_bot, stores_from_state

MOVES = 100_000


def scores(state: pyspiel.State) -> list[int]:
    """The scores of players 0 and 1."""
    return [int(score) for score in re.findall(r"score = (\d+)", str(state))][::-1]


def test_100_000_moves_of_random_games() -> None:
    rng = random.Random(11)
    game = pyspiel.load_game("oware")
    moves, ends = 0, Counter[str]()
    while moves < MOVES:
        state = game.new_initial_state()
        seen = {(awari.Board.start(), 0)}
        while not state.is_terminal():
            player = state.current_player()
            board, (own, other) = board_from_state(state), stores_from_state(state)
            legal = awari.legal_moves(board, "abapa")
            assert [move.pit for move in legal] == state.legal_actions(), board
            move = rng.choice(legal)
            state.apply_action(move.pit)
            moves += 1
            own += move.captured
            end = awari.game_end(move.child, "abapa")
            if own > 24:
                why = "majority"
            elif end is not None:
                why = "no legal move"
            elif (move.child, 1 - player) in seen:
                why = "repeated board"
            else:
                assert not state.is_terminal(), move
                assert state.current_player() == 1 - player
                assert board_from_state(state) == move.child
                assert stores_from_state(state) == (other, own)
                seen.add((move.child, 1 - player))
                continue
            assert state.is_terminal(), (why, move)
            ends[why] += 1
            # Both keep their own rows, however it ended.
            own += sum(move.child.waiting)
            other += sum(move.child.mover)
            assert scores(state) == ([own, other] if player == 0 else [other, own])
            assert state.returns()[player] == (own > other) - (own < other)
    assert moves >= MOVES and sum(ends.values()) > 500
    assert ends["majority"] and ends["no legal move"] and ends["repeated board"]


def test_states_that_have_no_board() -> None:
    with pytest.raises(ValueError, match="expected oware"):
        board_from_state(pyspiel.load_game("tic_tac_toe").new_initial_state())
    state = pyspiel.load_game("oware").new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(ValueError, match="the game is over"):
        board_from_state(state)


class Bot(pyspiel.Bot):
    """Plays by a function, and checks what it is told."""

    def __init__(self, choose: object) -> None:
        super().__init__()
        self.choose = choose
        self.state = pyspiel.load_game("oware").new_initial_state()

    def restart(self) -> None:
        self.state = pyspiel.load_game("oware").new_initial_state()

    def inform_action(self, state: pyspiel.State, player: int, action: int) -> None:
        assert state.history() == self.state.history() and player == self.state.current_player()
        self.state.apply_action(action)

    def step(self, state: pyspiel.State) -> int:
        assert state.history() == self.state.history()
        action = self.choose(state)
        self.state.apply_action(action)
        return int(action)


def test_bots_get_the_grades_they_earn(databases: Path) -> None:
    tables = awari.Tablebase(databases, "abapa")

    def worst(state: pyspiel.State) -> int:
        moves = tables.move_values([board_from_state(state)])[0].astype(int)
        return int(np.where(moves == awari.NO_MOVE, 99, moves).argmin())

    rng = random.Random(1)
    perfect = grade_bot(PerfectBot(tables), tables, games=40, stones=12)
    poor = grade_bot(Bot(worst), tables, games=40, stones=12)
    chance = grade_bot(Bot(lambda state: rng.choice(state.legal_actions())), tables, games=40, stones=12)
    assert (perfect.share_optimal, perfect.mean_loss, perfect.blunders) == (1.0, 0.0, 0)
    assert perfect.moves > 100 and sum(perfect.results.values()) == 40
    assert perfect.results["win"] > chance.results["win"] >= poor.results["win"]
    assert poor.share_optimal < chance.share_optimal < 1
    assert poor.mean_loss > chance.mean_loss > 0 and poor.blunders > 0
    assert max(perfect.by_stones) <= 12 and sum(row.moves for row in poor.by_stones.values()) == poor.moves
    again = grade_bot(Bot(worst), tables, games=40, stones=12)
    assert again == poor and grade_bot(Bot(worst), tables, games=40, stones=12, seed=2) != poor


def test_only_tables_of_its_rules(databases: Path, tables: awari.Tablebase) -> None:
    with pytest.raises(awari.WrongRules, match="abapa"):
        grade_bot(PerfectBot(awari.Tablebase(databases, "abapa")), tables)
    with pytest.raises(ValueError, match="there are tables of 0 to 13 stones"):
        grade_bot(None, awari.Tablebase(databases, "abapa"), stones=20)
