"""Trains a small network on solved positions, with numpy alone, and reports its error on others.

    python examples/train_value.py --dir databases --stones 12
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import awari

Floats = NDArray[np.float32]
CAP = 6
"""Stones of a pit that are told apart; more count as so many."""
HIDDEN = 64


def features(boards: NDArray[np.uint8]) -> Floats:
    """One input for each pit and number of stones in it, and one for the stones themselves."""
    one_hot = np.eye(CAP + 1, dtype=np.float32)[np.minimum(boards, CAP)].reshape(len(boards), -1)
    return np.hstack([one_hot, boards.astype(np.float32) / 4])


class Network:
    """A layer of rectifiers and a sum, trained by Adam."""

    def __init__(self, inputs: int, rng: np.random.Generator) -> None:
        shapes = [(inputs, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,)]
        self.weights = [
            rng.normal(0, np.sqrt(2 / shape[0]), shape).astype(np.float32)
            if len(shape) == 2
            else np.zeros(shape, np.float32)
            for shape in shapes
        ]
        self.mean = [np.zeros_like(weight) for weight in self.weights]
        self.square = [np.zeros_like(weight) for weight in self.weights]
        self.steps = 0

    def predict(self, x: Floats) -> Floats:
        a, b, c, d = self.weights
        return np.asarray((np.maximum(x @ a + b, 0) @ c + d)[:, 0])

    def step(self, x: Floats, y: Floats, rate: float) -> None:
        a, b, c, d = self.weights
        hidden = np.maximum(x @ a + b, 0)
        error = 2 * (hidden @ c + d - y[:, None]) / len(y)
        back = (error @ c.T) * (hidden > 0)
        gradients = [x.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        self.steps += 1
        for weight, mean, square, gradient in zip(self.weights, self.mean, self.square, gradients):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            scale = np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
            weight -= rate * scale * mean / (np.sqrt(square) + 1e-8)


def train(tables: awari.Tablebase, stones: int, count: int, epochs: int, seed: int = 1) -> tuple[float, float]:
    """Returns the root mean square error, in stones, of a constant and of the network, on new positions."""
    rng = np.random.default_rng(seed)
    places = rng.choice(awari.positions(stones), min(count, awari.positions(stones)), replace=False)
    x = features(awari.boards(stones, places))
    y = tables.values(stones)[places].astype(np.float32)
    held = len(y) // 5
    (test_x, x), (test_y, y) = np.split(x, [held]), np.split(y, [held])
    network = Network(x.shape[1], rng)
    for epoch in range(epochs):
        order = rng.permutation(len(y))
        rate = 0.003 * (1 - epoch / epochs) + 0.0001
        for batch in np.array_split(order, max(1, len(y) // 512)):
            network.step(x[batch], y[batch], rate)
        error = float(np.sqrt(np.mean((network.predict(test_x) - test_y) ** 2)))
        print(f"epoch {epoch + 1:>2}: error {error:.3f} stones", flush=True)
    return float(np.sqrt(np.mean((y.mean() - test_y) ** 2))), error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dir", default="databases", help="directory of the tables")
    parser.add_argument("--stones", type=int, default=12)
    parser.add_argument("--count", type=int, default=200_000, help="positions")
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()
    awari.build(stones=options.stones, dir=options.dir)
    tables = awari.Tablebase(options.dir)
    constant, network = train(tables, options.stones, options.count, options.epochs)
    print(f"root mean square error on new positions: a constant {constant:.3f} stones, the network {network:.3f}")


if __name__ == "__main__":
    main()
