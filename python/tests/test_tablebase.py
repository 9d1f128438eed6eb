"""Probes of single boards, and errors of tables."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import MOST, data

import awari


def test_positions_have_the_values_of_other_solvers(databases: Path) -> None:
    compared = 0
    for line in data("positions.jsonl"):
        if sum(line["board"]) > MOST:
            continue
        tables = awari.Tablebase(databases, line["rules"])
        board = awari.Board(line["board"])
        assert tables.probe(board).value == line["value"], line
        assert tables.probe_many([line["board"]])[0] == line["value"]
        moves = tables.moves(board)
        assert [(m.pit, m.captured, list(m.child), m.child_value, m.value) for m in moves] == [
            (m["pit"], m["captured"], m["child"], m["child_value"], m["value"]) for m in line["moves"]
        ]
        best = max((m["value"] for m in line["moves"]), default=None)
        assert [m.best for m in moves] == [m["value"] == best for m in line["moves"]]
        compared += 1
    assert compared > 30


def test_a_line_ends_with_the_value(tables: awari.Tablebase) -> None:
    samples = awari.sample(tables, 100, stones=(2, MOST), seed=5)
    for board, value in zip(samples.boards, samples.values.tolist()):
        line = tables.line(board)
        assert line.difference == value == tables.probe(board).value
        assert line.finish != "not-known"
        now = awari.Board(board)
        for ply in line.plies:
            assert ply.board == now
            best = tables.best_move(now)
            assert best is not None and best.pit == ply.pit
            now = awari.play(now, ply.pit).child
        assert now == line.last
        if line.finish == "endless-play":
            assert line.repeats is not None and line.plies[line.repeats].board == line.last
        else:
            end = awari.game_end(now)
            assert end is not None and end[0] == line.finish and tables.best_move(now) is None


def test_grades(tables: awari.Tablebase) -> None:
    samples = awari.sample(tables, 200, stones=(4, MOST), seed=2)
    lost = 0
    for board, value, moves in zip(samples.boards, samples.values.tolist(), samples.move_values.tolist()):
        for pit, worth in enumerate(moves):
            if worth == awari.NO_MOVE:
                with pytest.raises(awari.IllegalMove):
                    awari.grade(tables, board, pit)
                continue
            grade = awari.grade(tables, board, pit, stores=(17, 17))
            assert (grade.before, grade.after, grade.loss) == (value, worth, value - worth)
            assert grade.is_best == (pit in grade.best) == (worth == value)
            outcomes = ["loss", "draw", "win"]
            assert grade.outcome == tuple(outcomes[(v > 0) - (v < 0) + 1] for v in (value, worth))
            assert awari.grade(tables, board, pit).outcome is None
            lost += grade.loss
    assert lost > 0
    with pytest.raises(ValueError, match="a game has 48"):
        awari.grade(tables, samples.boards[0], 0, stores=(24, 24))
    for pit in (-1, 6, 99):
        with pytest.raises(awari.IllegalMove):
            awari.grade(tables, samples.boards[0], pit)


def test_what_is_there(tables: awari.Tablebase, databases: Path, tmp_path: Path) -> None:
    assert tables.stones() == tables.depth_stones() == list(range(MOST + 1))
    assert (Path(tables.dir), tables.rules) == (databases, "awari")
    assert awari.Tablebase(tmp_path / "nothing").stones() == []
    copy = pickle.loads(pickle.dumps(tables))
    assert copy.probe("0 0 0 0 0 1 / 0 0 0 0 0 0") == tables.probe("0 0 0 0 0 1 / 0 0 0 0 0 0")


def test_missing_tables(tables: awari.Tablebase, tmp_path: Path) -> None:
    full = awari.Board.start()
    with pytest.raises(awari.MissingTable, match="no table of 48 stones") as missing:
        tables.probe(full)
    assert missing.value.stones == 48 and missing.value.row is None
    assert missing.value.command is not None and missing.value.command.startswith("awari build --stones 48")
    assert isinstance(missing.value, (LookupError, awari.AwariError))
    boards = [[0, 0, 0, 0, 0, 1] + [0] * 6] * 5000 + [[4] * 12] + [[0, 0, 0, 0, 0, 1] + [0] * 6] * 5000 + [[3] * 12]
    for ask in (tables.probe_many, tables.move_values, lambda b: tables.probe_many(b, depths=True)):
        with pytest.raises(awari.MissingTable, match=r"boards\[5000\]: .*stones") as missing:
            ask(boards)
        assert missing.value.row == 5000
    for ask in (tables.values, tables.depths):
        with pytest.raises(awari.MissingTable) as missing:
            ask(20)
        assert missing.value.stones == 20
        with pytest.raises(awari.MissingTable, match="48 stones"):
            ask(48)
    awari.build(stones=3, dir=tmp_path)
    with pytest.raises(awari.MissingDepths):
        awari.Tablebase(tmp_path).depths(3)
    boards = awari.boards(3)
    values, depths = awari.Tablebase(tmp_path).probe_many(boards, depths=True)
    over = [awari.game_end(board) is not None for board in boards]
    assert np.array_equal(depths, np.where((values == 0) | over, 0, -1)) and (depths == -1).any()


def test_no_such_number_of_stones(tables: awari.Tablebase) -> None:
    impossible = [4] * 11 + [3]
    with pytest.raises(awari.OutOfRange, match="47 stones"):
        tables.probe(impossible)
    with pytest.raises(awari.OutOfRange, match=r"boards\[1\]: 47") as error:
        tables.probe_many([[0] * 12, impossible])
    assert (error.value.row, error.value.stones) == (1, 47)
    assert awari.index_of([[0] * 6 + [47] + [0] * 5]).tolist() == [-1]
    for ask in (tables.values, tables.depths, awari.boards, awari.positions):
        with pytest.raises(awari.OutOfRange):
            ask(49)
        with pytest.raises(awari.OutOfRange, match="47 stones"):
            ask(47)
        with pytest.raises(awari.OutOfRange, match="-1 stones: a game has 0 to 48"):
            ask(-1)
        with pytest.raises(awari.OutOfRange):
            ask(2**100)
        with pytest.raises(TypeError):
            ask("7")


def test_damaged_files(databases: Path, tmp_path: Path) -> None:
    def copy(name: str) -> Path:
        directory = tmp_path / name
        shutil.copytree(databases / "awari", directory / "awari")
        return directory / "awari" / "08.awari"

    boards = awari.boards(8)
    path = copy("bytes")
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    tables = awari.Tablebase(path.parents[1])
    with pytest.raises(awari.CorruptTable, match="checksum of block") as error:
        tables.probe_many(boards)
    assert error.value.path == str(path)
    with pytest.raises(awari.CorruptTable):
        tables.values(8)
    with pytest.raises(awari.CorruptTable, match="Nothing was overwritten"):
        awari.build(stones=9, dir=path.parents[1])

    path = copy("short")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(awari.CorruptTable, match="cut short"):
        awari.Tablebase(path.parents[1]).probe(boards[0])

    path = copy("rules")
    shutil.copy(databases / "abapa" / "08.awari", path)
    with pytest.raises(awari.WrongRules, match="a table of rules abapa"):
        awari.Tablebase(path.parents[1]).probe(boards[0])

    path = copy("version")
    content = bytearray(path.read_bytes())
    content[8] = 250
    path.write_bytes(content)
    with pytest.raises(awari.AwariError) as other:
        awari.Tablebase(path.parents[1]).probe(boards[0])
    assert type(other.value) in (awari.UnsupportedTable, awari.CorruptTable)

    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(awari.FileError):
        awari.Tablebase(file)


def test_a_file_cut_short_while_it_is_open(databases: Path, tmp_path: Path) -> None:
    shutil.copytree(databases / "awari", tmp_path / "awari")
    tables = awari.Tablebase(tmp_path)
    boards = awari.boards(13)
    assert tables.probe(boards[0]).value == tables.values(13)[0]
    path = tmp_path / "awari" / "13.awari"
    with path.open("r+b") as file:
        file.truncate(5000)
    with pytest.raises(awari.CorruptTable, match="cut short while"):
        tables.probe_many(boards)
