"""Arrays of boards."""

from __future__ import annotations

import gc
import itertools
import json
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import MOST

import awari

BOARDS = 100_000


@pytest.fixture(scope="session")
def random_boards() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Boards of 0 to MOST stones, those among them that no move leads to."""
    rng = np.random.default_rng(7)
    stones = rng.integers(0, MOST + 1, BOARDS)
    boards = rng.multinomial(stones, [1 / 12] * 12).astype(np.uint8)
    assert (boards[:, 6:] > 0).all(axis=1).sum() > 1000
    return boards


@pytest.mark.parametrize("rules", awari.RULES)
def test_100_000_boards_as_the_program_answers(
    rules: str, databases: Path, program: str, random_boards: np.ndarray[Any, np.dtype[np.uint8]]
) -> None:
    text = "\n".join(" ".join(map(str, row)) for row in random_boards.tolist())
    command = [program, "--dir", str(databases), "probe", "--rules", rules, "--json"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == BOARDS
    tables = awari.Tablebase(databases, rules)
    values, depths = tables.probe_many(random_boards, depths=True)
    assert np.array_equal(values, [answer["value"] for answer in answers])
    assert np.array_equal(depths, [answer["depth"] for answer in answers])
    assert np.array_equal(values, tables.probe_many(random_boards))
    moves = np.full((BOARDS, 6), awari.NO_MOVE)
    for row, answer in zip(moves, answers):
        for move in answer["moves"]:
            row["ABCDEF".index(move["pit"]) if isinstance(move["pit"], str) else move["pit"]] = move["value"]
    assert np.array_equal(tables.move_values(random_boards), moves)


def test_one_by_one(tables: awari.Tablebase, random_boards: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
    some = random_boards[:5000]
    probes = [tables.probe(row) for row in some]
    values, depths = tables.probe_many(some, depths=True)
    assert [(p.value, p.depth) for p in probes] == list(zip(values.tolist(), depths.tolist()))


@pytest.mark.parametrize("stones", [0, 1, 5, 6, 12, MOST])
def test_whole_tables(tables: awari.Tablebase, stones: int) -> None:
    boards = awari.boards(stones)
    values, depths = tables.values(stones), tables.depths(stones)
    assert boards.shape == (awari.positions(stones), 12) and boards.dtype == np.uint8
    assert (boards.sum(axis=1) == stones).all() and (boards[:, 6:] == 0).any(axis=1).all()
    assert (values.shape, values.dtype, depths.dtype) == ((len(boards),), np.int8, np.uint16)
    assert np.array_equal(awari.index_of(boards), np.arange(len(boards)))
    found = tables.probe_many(boards, depths=True)
    assert np.array_equal(found[0], values) and np.array_equal(found[1], depths)
    if stones:
        # Another way to the same: the value is that of the best move, where there is one.
        best = tables.move_values(boards).max(axis=1)
        assert np.array_equal(best[best != awari.NO_MOVE], values[best != awari.NO_MOVE])
        assert (np.abs(values[best == awari.NO_MOVE]) == stones).all()


def test_places(tables: awari.Tablebase) -> None:
    places = np.random.default_rng(3).integers(0, awari.positions(11), 1000)
    boards = awari.boards(11, places)
    assert np.array_equal(awari.index_of(boards), places)
    assert np.array_equal(tables.values(11)[places], tables.probe_many(boards))
    assert awari.boards(11, []).shape == (0, 12)
    assert awari.index_of([[1] * 12]).tolist() == [-1]
    for wrong in ([awari.positions(11)], [-1], [0, 10**12]):
        with pytest.raises(IndexError, match=r"places\["):
            awari.boards(11, wrong)
    with pytest.raises(MemoryError):
        awari.boards(48)
    with pytest.raises(TypeError, match="float64"):
        awari.boards(11, [0.5])
    with pytest.raises(ValueError, match="shape"):
        awari.boards(11, [[0]])


def test_values_share_memory_and_are_read_only(tables: awari.Tablebase) -> None:
    values = tables.values(10)
    assert np.shares_memory(values, tables.values(10))
    with pytest.raises(ValueError):
        values[0] = 1
    with pytest.raises(ValueError):
        values.flags.writeable = True
    part, expected = values[100:200], values[100:200].copy()
    del values
    gc.collect()
    assert np.array_equal(part, expected)
    assert np.shares_memory(part, tables.values(10))


def test_arrays_outlive_their_tablebase(databases: Path) -> None:
    tables = awari.Tablebase(databases)
    values, depths = tables.values(11), tables.depths(11)
    part = values[5:]
    expected = values.copy(), depths.copy()
    gone = weakref.ref(tables)
    del tables, values
    gc.collect()
    assert gone() is None
    np.zeros(5_000_000).fill(7)
    assert np.array_equal(part, expected[0][5:]) and np.array_equal(depths, expected[1])


def test_an_array_that_is_written_to_meanwhile(tables: awari.Tablebase) -> None:
    """Boards are copied out before the lock is let go: an answer, or an error, never anything else."""
    boards = np.zeros((400_000, 12), np.uint8)
    stop = threading.Event()

    def write() -> None:
        for row in itertools.cycle(range(len(boards))):
            if stop.is_set():
                return
            boards[row] = 9
            boards[row] = 0

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(5):
            try:
                assert tables.probe_many(boards).shape == (400_000,)
            except awari.InvalidBoard as error:
                assert "108 stones" in str(error) or "stones on the board" in str(error)
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", ">i2", ">i4", ">u8", "q", "Q", "l"])
def test_integers_of_all_kinds(tables: awari.Tablebase, dtype: str) -> None:
    boards = awari.boards(9, range(50))
    expected = tables.values(9)[:50]
    array = boards.astype(dtype)
    assert np.array_equal(tables.probe_many(array), expected)
    assert np.array_equal(tables.probe_many(np.asfortranarray(array)), expected)
    assert np.array_equal(tables.probe_many(array[::-2]), expected[::-2])
    assert np.array_equal(tables.probe_many(array.tolist()), expected)
    odd = np.zeros(array.nbytes + 1, np.uint8)[1:].view(dtype).reshape(array.shape)
    odd[:] = array
    assert np.array_equal(tables.probe_many(odd), expected)


def test_boards_of_python(tables: awari.Tablebase) -> None:
    boards = [awari.Board(row) for row in awari.boards(7, range(9))]
    assert np.array_equal(tables.probe_many(boards), tables.values(7)[:9])
    for nothing in ([], np.zeros((0, 12), np.uint8), np.zeros((0, 12))):
        assert tables.probe_many(nothing).shape == (0,)
        assert tables.move_values(nothing).shape == (0, 6)
        assert awari.index_of(nothing).shape == (0,)


def changed(row: int, pit: int, to: object, dtype: object = np.int64) -> np.ndarray[Any, Any]:
    array = np.zeros((20, 12), dtype)
    array[row, pit] = to
    return array


@pytest.mark.parametrize(
    ("boards", "error", "words"),
    [
        (changed(3, 2, -1), awari.InvalidBoard, r"boards\[3\]: pit 2 has -1 stones"),
        (changed(19, 11, -1, np.int8), awari.InvalidBoard, r"boards\[19\]: pit 11 has -1 stones"),
        (changed(3, 2, 256), awari.InvalidBoard, r"boards\[3\]: pit 2 has 256 stones"),
        (changed(3, 2, 2**64 - 1, np.uint64), awari.InvalidBoard, r"boards\[3\]: pit 2"),
        (changed(3, 2, -5, ">i4"), awari.InvalidBoard, r"boards\[3\]: pit 2 has -5"),
        (changed(7, 0, 49), awari.InvalidBoard, r"boards\[7\]: 49 stones on the board"),
        (changed(7, 0, float("nan"), float), awari.InvalidBoard, r"boards\[7\]: pit 0 has nan"),
        (changed(7, 0, float("inf"), np.float32), awari.InvalidBoard, r"boards\[7\]: pit 0 has inf"),
        (changed(7, 0, 0.5, float), awari.InvalidBoard, r"boards\[7\]: pit 0 has 0.5"),
        (changed(7, 0, 1.0, float), TypeError, "dtype float64: expected whole numbers"),
        (changed(7, 0, 1, bool), TypeError, "dtype bool"),
        (changed(7, 0, 1, complex), TypeError, "dtype complex128"),
        (changed(7, 0, 1, object), TypeError, "dtype object"),
        (changed(7, 0, 1, "U3"), TypeError, "dtype <U3"),
        (np.zeros((20, 12), "datetime64[s]"), TypeError, "dtype datetime64"),
        (np.zeros((20, 12), [("a", "u1")]), TypeError, "dtype"),
        (np.zeros((20, 11), int), awari.InvalidBoard, r"shape \(20, 11\): expected \(N, 12\)"),
        (np.zeros(12, int), awari.InvalidBoard, r"shape \(12,\)"),
        (np.zeros((2, 2, 12), int), awari.InvalidBoard, r"shape \(2, 2, 12\)"),
        (np.zeros((12, 0), int), awari.InvalidBoard, r"shape \(12, 0\)"),
        (np.ma.masked_equal(np.eye(12, dtype=int), 1), awari.InvalidBoard, "masked"),
        (5, awari.InvalidBoard, r"shape \(\)"),
        (None, awari.InvalidBoard, r"shape \(\)"),
        ("4 4 4 4 4 4 / 4 4 4 4 4 4", awari.InvalidBoard, r"shape \(\)"),
        ([[0] * 12, [0] * 11], ValueError, "inhomogeneous"),
        ([[2**70] + [0] * 11], TypeError, "dtype object"),
    ],
)
def test_what_are_no_boards(boards: object, error: type[Exception], words: str, tables: awari.Tablebase) -> None:
    for ask in (tables.probe_many, tables.move_values, awari.index_of, lambda b: tables.probe_many(b, depths=True)):
        with pytest.raises(error, match=words):
            ask(boards)


def test_rows_of_later_parts_are_named(tables: awari.Tablebase) -> None:
    boards = np.zeros((1_100_000, 12), np.uint8)
    boards[1_060_000, 4] = 60
    with pytest.raises(awari.InvalidBoard, match=r"boards\[1060000\]") as error:
        tables.probe_many(boards)
    assert error.value.row == 1_060_000
    boards[1_060_000] = 4
    with pytest.raises(awari.MissingTable, match=r"boards\[1060000\]") as missing:
        tables.probe_many(boards)
    assert missing.value.row == 1_060_000


def test_threads_share_a_tablebase(databases: Path) -> None:
    tables = awari.Tablebase(databases)
    boards = awari.boards(12, range(0, awari.positions(12), 7))
    expected = awari.Tablebase(databases).values(12)[::7]
    wrong: list[object] = []

    def ask() -> None:
        try:
            for _ in range(5):
                if not np.array_equal(tables.probe_many(boards), expected):
                    wrong.append("values")
                if not np.array_equal(tables.values(12)[::7], expected):
                    wrong.append("table")
                if tables.probe(boards[-1]).value != expected[-1]:
                    wrong.append("probe")
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_other_threads_run_meanwhile(tables: awari.Tablebase) -> None:
    # While the lock is let go, a thread that counts gets on. Were it held, it could only between calls.
    boards = np.tile(awari.boards(13, range(0, 1_000_000)), (4, 1))
    counted, stop = 0, False

    def count() -> None:
        nonlocal counted
        while not stop:
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    tables.probe_many(boards)
    thread.start()
    before = counted
    tables.probe_many(boards, depths=True)
    during = counted - before
    stop = True
    thread.join()
    assert during > 100


FORK = """
import multiprocessing, sys, warnings
import awari
warnings.simplefilter("ignore")
tables = awari.Tablebase(sys.argv[1])
boards = awari.boards(10, range(20_000))
expected = tables.probe_many(boards)

def ask(_):
    return bool((tables.probe_many(boards) == expected).all())

for method in ("fork", "spawn"):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(ask, range(4)) == [True] * 4
    if method == "fork" and len(sys.argv) > 2:
        break
print("done")
"""


def test_forked_processes(databases: Path, run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    # With threads of the parent alone, a child would wait for ever.
    done = run(FORK, databases, "fork")
    assert done.stdout == "done\n", done.stderr


def test_compressed_tables_and_those_of_vu(databases: Path, program: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    boards = np.vstack([awari.boards(n, rng.integers(0, awari.positions(n), 300)) for n in range(1, 11)])
    expected = awari.Tablebase(databases).probe_many(boards, depths=True)
    for format in ("compressed", "vu"):
        directory = tmp_path / format
        command = [program, "--dir", str(databases), "convert", "--to", format, str(directory)]
        subprocess.run(command, check=True, capture_output=True)
        tables = awari.Tablebase(directory)
        assert np.array_equal(tables.probe_many(boards), expected[0])
        assert np.array_equal(tables.values(10), awari.Tablebase(databases).values(10))
        if format == "compressed":
            assert np.array_equal(tables.probe_many(boards, depths=True)[1], expected[1])


INTERRUPTED = """
import os, signal, sys, threading
import numpy as np
import awari
tables = awari.Tablebase(sys.argv[1])
boards = np.tile(awari.boards(10), (100, 1))
for name, endless in {
    "probe_many": lambda: [tables.probe_many(boards, depths=True) for _ in range(10_000)],
    "move_values": lambda: [tables.move_values(boards) for _ in range(10_000)],
    "index_of": lambda: [awari.index_of(boards) for _ in range(10_000)],
    "boards": lambda: [awari.boards(13) for _ in range(10_000)],
    "sample": lambda: awari.sample(tables, 2_000_000_000, stones=5),
}.items():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        endless()
    except KeyboardInterrupt:
        print(name)
"""


def test_keyboard_interrupt_ends_long_work(databases: Path, run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = run(INTERRUPTED, databases)
    assert done.stdout.split() == ["probe_many", "move_values", "index_of", "boards", "sample"], done.stderr


def test_a_process_forked_while_threads_probe_a_compressed_table(
    tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    awari.build(stones=11, dir=tmp_path, compress=True)
    code = """
import os, sys, threading, time
import numpy as np
import awari
tables = awari.Tablebase(sys.argv[1])
boards = awari.boards(11, np.random.default_rng(1).integers(0, awari.positions(11), 30_000))
right = tables.probe_many(boards)
over = threading.Event()
def busy():
    while not over.is_set():
        tables.probe_many(boards)
threads = [threading.Thread(target=busy, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
try:
    for _ in range(60):
        child = os.fork()
        if child == 0:
            os._exit(0 if (tables.probe_many(boards) == right).all() else 1)
        late = time.monotonic() + 60
        while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
            if time.monotonic() > late:
                os.kill(child, 9)
            time.sleep(0.002)
        assert ended[1] == 0, ended
finally:
    over.set()
    for thread in threads:
        thread.join()
"""
    found = run(code, tmp_path)
    assert found.returncode == 0, found.stderr


def test_too_little_memory_is_an_error(databases: Path, run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    code = """
import resource, sys
import numpy as np
import awari
tables = awari.Tablebase(sys.argv[1])
boards = np.tile(awari.boards(10, np.arange(1000)), (4000, 1))
for call in (tables.probe_many, tables.move_values, awari.index_of):
    call(boards[:1000])
tables.probe_many(boards[:1000], depths=True)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (10 << 20), resource.RLIM_INFINITY))
calls = (
    lambda: tables.probe_many(boards),
    lambda: tables.probe_many(boards, depths=True),
    lambda: tables.move_values(boards),
    lambda: awari.index_of(boards),
)
for call in calls:
    try:
        call()
    except MemoryError:
        continue
    raise AssertionError("it was enough")
"""
    found = run(code, databases)
    assert found.returncode == 0, found.stderr
