"""How fast `probe_many` is, beside a loop over `probe` in Python.

    python benches/probe_many.py --dir databases --stones 16

Boards are drawn at random from one table, packed, and asked once before anything is timed. Time is CPU time
of the whole process, all threads: a core's. Rounds alternate; figures are medians, ratios medians of the
ratios within a round. The answers of both ways are compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np

import awari


def timed(work: Callable[[], object]) -> tuple[object, float, float]:
    """What `work` returns, and seconds: CPU time, and those of the clock."""
    clock, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, time.process_time() - cpu, time.perf_counter() - clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dir", default="databases", help="directory of the tables")
    parser.add_argument("--stones", type=int, default=16)
    parser.add_argument("--boards", type=int, default=4_000_000, help="boards a call")
    parser.add_argument("--loop", type=int, default=200_000, help="boards of the loop")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    if min(options.boards, options.loop, options.rounds) < 1:
        parser.error("--boards, --loop and --rounds are at least 1")
    options.loop = min(options.loop, options.boards)

    awari.build(stones=options.stones, depth=True, dir=options.dir)
    tables = awari.Tablebase(options.dir)
    places = np.random.default_rng(1).integers(0, awari.positions(options.stones), options.boards)
    boards = awari.boards(options.stones, places)
    # The loop gets what it is fastest with.
    ready = [awari.Board(row) for row in boards[: options.loop]]
    probe = tables.probe
    ways: dict[str, tuple[int, Callable[[], object]]] = {
        "probe_many": (options.boards, lambda: tables.probe_many(boards)),
        "probe_many, depths=True": (options.boards, lambda: tables.probe_many(boards, depths=True)),
        "loop over probe": (options.loop, lambda: [probe(board) for board in ready]),
    }
    for _, work in ways.values():
        work()
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    clock: dict[str, list[float]] = {name: [] for name in ways}
    answers: dict[str, object] = {}
    for _ in range(options.rounds):
        for name, (count, work) in ways.items():
            answers[name], seconds, passed = timed(work)
            cpu[name].append(seconds / count)
            clock[name].append(passed / count)

    values, both, loop = answers.values()
    assert isinstance(values, np.ndarray) and isinstance(both, tuple) and isinstance(loop, list)
    first = slice(0, options.loop)
    assert np.array_equal(values, both[0])
    assert np.array_equal(values[first], [answer.value for answer in loop])
    assert np.array_equal(both[1][first], [answer.depth for answer in loop])

    print(f"{options.stones} stones, {options.boards:,} boards a call, {os.cpu_count()} cores, {options.rounds} rounds")
    print(f"{'':24} {'CPU ns a board':>15} {'M boards/s a core':>18} {'M boards/s':>11} {'times the loop':>15}")
    for name in ways:
        ratio = statistics.median(b / a for a, b in zip(cpu[name], cpu["loop over probe"]))
        a_core, all_cores = statistics.median(cpu[name]), statistics.median(clock[name])
        print(f"{name:24} {1e9 * a_core:15.1f} {1e-6 / a_core:18.2f} {1e-6 / all_cores:11.2f} {ratio:15.1f}")


if __name__ == "__main__":
    main()
