"""Grades OpenSpiel's own MCTS at three numbers of simulations, and plots what it loses by the stones on
the board.

    python examples/grade_mcts.py --dir databases --games 200 --out mcts.png
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pyspiel

import awari
from awari.openspiel import RULES, ByStones, Report, grade_bot

SIMULATIONS = (10, 100, 1000)


def mcts(simulations: int, seed: int = 1) -> pyspiel.MCTSBot:
    """OpenSpiel's MCTS with random rollouts."""
    game = pyspiel.load_game("oware")
    return pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(1, seed),
        math.sqrt(2),
        simulations,
        64,  # megabytes for the tree
        True,  # proves wins and losses it sees
        seed,
        False,
    )


def plot(reports: dict[int, Report], out: Path) -> None:
    """Mean loss by stones on the board, two numbers of stones together."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for (simulations, report), marker in zip(reports.items(), "osD"):
        pairs: dict[int, ByStones] = {}
        for stones, moves in report.by_stones.items():
            first = stones - stones % 2
            pairs[first] = pairs.get(first, ByStones()) + moves
        # Of fewer moves a mean says little.
        shown = {first: moves for first, moves in sorted(pairs.items()) if moves.moves >= 10}
        blunders = report.blunders / max(report.moves, 1)
        label = f"{simulations:,} simulations: {report.share_optimal:.0%} optimal, {blunders:.1%} blunders"
        x = [first + 0.5 for first in shown]
        axes.plot(x, [moves.mean_loss for moves in shown.values()], marker=marker, label=label)
    played = {stones for report in reports.values() for stones in report.by_stones}
    ticks = sorted({stones - stones % 2 for stones in played})
    last = max(played)
    axes.set_xticks([first + 0.5 for first in ticks], [f"{f}–{f + 1}" if f < last else str(f) for f in ticks])
    axes.set_xlabel("stones on the board before the move")
    axes.set_ylabel("mean loss of a move (stones)")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.set_title("Oware: OpenSpiel's MCTS, random rollouts, against perfect play")
    axes.legend(title="of the moves with a choice")
    figure.savefig(out, dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dir", default="databases", help="directory of the tables")
    parser.add_argument("--stones", type=int, default=14, help="stones on the board where games begin, at most")
    parser.add_argument("--games", type=int, default=100, help="games a number of simulations")
    parser.add_argument("--out", type=Path, default=Path("mcts.png"))
    options = parser.parse_args()
    awari.build(stones=options.stones, rules=RULES, depth=True, dir=options.dir)
    tables = awari.Tablebase(options.dir, rules=RULES)
    reports = {}
    for simulations in SIMULATIONS:
        reports[simulations] = grade_bot(
            mcts(simulations), tables, games=options.games, stones=options.stones
        )
        print(f"{simulations:>6,} simulations: {reports[simulations]}", flush=True)
    plot(reports, options.out)


if __name__ == "__main__":
    main()
