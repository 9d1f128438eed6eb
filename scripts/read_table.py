#!/usr/bin/env python3
"""Reads tables of values and depths, packed or compressed, written from docs/format.md alone.

    scripts/read_table.py "0 0 0 0 1 0 / 0 1 0 0 0 0"
    scripts/read_table.py --dir small --rules abapa --jsonl positions.jsonl

A position is twelve numbers, the mover's pits and then the other player's, in sowing order. A line
of the file is JSON: {"board": [twelve numbers], "rules": "awari"}; the rules may be left out. Each
answer is a line of JSON with the board, its value and its depth, null if the depths are not there.
Every byte that an answer rests on is compared with its checksum.

Python 3.9 and nothing else.
"""

import argparse
import json
import mmap
import os
import re
import struct
import sys
import zlib
from functools import lru_cache
from math import comb

MAGIC = b"\x89AWARI\r\n"
RULES = ("awari", "abapa", "slam-ends")
# Magic, version and length; the body; the checksum.
PREFIX = struct.Struct("<8sII")
VALUES = struct.Struct("<6BHQIIQQ97Q32sI")
DEPTHS = struct.Struct("<5B3sQIIQQQQHH32s32sI")
BLOCK = 1 << 16
START_STATE = 1 << 16


class Trouble(Exception):
    """What is wrong with a file or a position, for people."""


# Half-boards and their order.


def ways(k, s):
    """Ways to put s stones into k + 1 pits."""
    return comb(s + k, k)


def halves(s):
    """Half-boards of s stones."""
    return ways(5, s)


def open_halves(s):
    """Those with an empty pit."""
    return ways(5, s) - (ways(5, s - 6) if s >= 6 else 0)


def rank(half):
    left, before = sum(half), 0
    for pit in range(5):
        before += ways(5 - pit, left) - ways(5 - pit, left - half[pit])
        left -= half[pit]
    return before


@lru_cache(maxsize=None)
def halves_in_order(s):
    """All half-boards of s stones, ascending."""

    def fill(pits, stones):
        if pits == 1:
            yield (stones,)
            return
        for first in range(stones + 1):
            for rest in fill(pits - 1, stones - first):
                yield (first,) + rest

    return tuple(fill(6, s))


@lru_cache(maxsize=None)
def open_in_order(s):
    """The open half-boards of s stones, ascending, and the open rank of each."""
    order = tuple(half for half in halves_in_order(s) if 0 in half)
    return order, {half: place for place, half in enumerate(order)}


def level_start(n, waiting):
    return sum(open_halves(w) * halves(n - w) for w in range(waiting))


def positions(n):
    return level_start(n, n + 1)


# Files.


class File:
    """What files of values and of depths have in common: header, directory, blocks."""

    def __init__(self, path, body, metric, rules, stones, entries):
        self.path = path
        try:
            with open(path, "rb") as file:
                # Mapped, not read: a table may be larger than memory. An empty file cannot be.
                size = os.fstat(file.fileno()).st_size
                self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size > 0 else b""
        except FileNotFoundError:
            raise
        except OSError as error:
            raise Trouble(f"{path}: cannot be read: {error.strerror}.") from error
        if self.bytes[:8] != MAGIC:
            raise Trouble(f"{path}: not an awari table: the first bytes are not those of one.")
        end = PREFIX.size + body.size
        if len(self.bytes) < end + 4:
            raise Trouble(f"{path}: the file is cut short.")
        _, version, length = PREFIX.unpack_from(self.bytes)
        if version != 1:
            raise Trouble(f"{path}: format version {version}, and this script reads version 1.")
        if length != body.size:
            raise Trouble(f"{path}: corrupt header, or another kind of table: its length is {length}.")
        # The checksum ends the header: it follows the body, whose last field is the directory's.
        self.expect("header", zlib.crc32(self.bytes[:end]), self.number("<I", end))
        self.fields = body.unpack_from(self.bytes, PREFIX.size)
        expected = (RULES.index(rules), stones, metric, 0)
        if self.fields[:4] != expected:
            raise Trouble(f"{path}: rules, stones, metric and order are {self.fields[:4]}, expected {expected}.")
        self.encoding = self.fields[4]
        if self.encoding not in (0, 1):
            raise Trouble(f"{path}: encoding {self.encoding} is unknown to this script.")
        self.stones = stones
        count, block_positions, self.blocks, self.data, data_bytes = self.fields[7 if metric == 0 else 6 :][:5]
        tiles = Tiles(stones)
        blocks = -(-positions(stones) // BLOCK) if self.encoding == 0 else 1 + -(-tiles.count // 64)
        self.entry, self.directory = entries[self.encoding], end + 4
        data = -(-(self.directory + self.entry * blocks) // 4096) * 4096
        expected = (positions(stones), (BLOCK, 2 * BLOCK)[self.encoding], blocks, data)
        if (count, block_positions, self.blocks, self.data) != expected:
            raise Trouble(f"{path}: corrupt header: positions, blocks and offset are not {expected}.")
        if len(self.bytes) != self.data + data_bytes:
            raise Trouble(f"{path}: {len(self.bytes)} bytes, expected {self.data + data_bytes}.")
        self.expect("block directory", zlib.crc32(self.bytes[self.directory : self.data]), self.fields[-1])
        self.checked = set()
        if self.encoding == 1:
            lengths = [self.number("<I", self.directory + 8 * block + 4) for block in range(blocks)]
            self.starts = [self.data]
            for length in lengths:
                self.starts.append(self.starts[-1] + length)
            if self.starts[-1] != len(self.bytes):
                raise Trouble(f"{path}: corrupt header: the lengths of the blocks do not add up.")
            self.tiles = tiles
            self.model = Model(path, self.compressed_block(0), (2 * stones, 255)[metric])
            self.cache = {}

    def number(self, kind, at):
        return struct.unpack_from(kind, self.bytes, at)[0]

    def expect(self, what, found, expected):
        if found != expected:
            raise Trouble(f"{self.path}: corrupt: the checksum of the {what} is wrong. Copy or build it again.")

    def check(self, block, data, checksum):
        """Compares a block with its checksum, once."""
        if block not in self.checked:
            self.expect(f"block {block}", zlib.crc32(data), checksum)
            self.checked.add(block)
        return data

    def compressed_block(self, block):
        data = self.bytes[self.starts[block] : self.starts[block + 1]]
        return self.check(block, data, self.number("<I", self.directory + 8 * block))

    def tile(self, number, read):
        """A tile that `read` makes of its tokens, kept."""
        if number not in self.cache:
            block = self.compressed_block(1 + number // 64)
            count = min(64, self.tiles.count - number // 64 * 64)
            lengths = struct.unpack_from(f"<{count}H", block)
            start = 2 * count + sum(lengths[: number % 64])
            stream = Stream(self.path, block[start : start + lengths[number % 64]])
            self.cache[number] = read(self.tiles.tile(number), stream)
            stream.finish()
        return self.cache[number]


class Values(File):
    def __init__(self, path, rules, stones):
        super().__init__(path, VALUES, 0, rules, stones, (4, 8))
        self.content_hash = self.fields[-2]
        occur = [value for value, count in zip(range(-48, 49), self.fields[12:109]) if count > 0]
        self.values, self.bits = occur, (len(occur) - 1).bit_length()

    def packed(self, place):
        block = place // BLOCK
        start = self.data + block * BLOCK * self.bits // 8
        end = len(self.bytes) if block + 1 == self.blocks else start + BLOCK * self.bits // 8
        self.check(block, self.bytes[start:end], self.number("<I", self.directory + 4 * block))
        bit = place * self.bits
        word = self.number("<Q", self.data + bit // 8) >> bit % 8
        return self.values[word & ((1 << self.bits) - 1)]

    def value(self, place):
        """The value of a position, or None if it is not stored."""
        if self.encoding == 0:
            return self.packed(place)
        spot = self.tiles.spot(place)
        if spot is None:
            return None
        return self.tile(spot[0], self.read_tile)[spot[1]] - self.stones

    def read_tile(self, tile, stream):
        def describe(inside, around, features):
            left, up, corner, three_up, *moved = around
            neighbours = [left + up, min(left, up), max(left, up), left + up - corner, three_up]
            features[:9] = neighbours + moved
            return stream.token(self.model, features)

        return tile.walk(self.stones, describe)


class Depths(File):
    def __init__(self, path, rules, stones, values):
        super().__init__(path, DEPTHS, 1, rules, stones, (12, 8))
        self.of = values
        if self.fields[-2] != values.content_hash:
            raise Trouble(f"{path}: the depths belong to other values. Remove the file, or build them again.")

    def packed(self, place):
        block, count = place // BLOCK, positions(self.stones)
        entry = self.directory + 12 * block
        begins = self.number("<Q", entry - 12) if block > 0 else 0
        start, lists = self.data + block * BLOCK, self.data + count
        listed = self.bytes[lists + 4 * begins : lists + 4 * self.number("<Q", entry)]
        plain = self.bytes[start : min(start + BLOCK, lists)]
        self.check(block, plain + listed, self.number("<I", entry + 8))
        depth = self.bytes[self.data + place]
        return dict(struct.iter_unpack("<HH", listed))[place % BLOCK] if depth == 255 else depth

    def depth(self, place):
        """The depth of a position, or None if it is not stored."""
        if self.encoding == 0:
            return self.packed(place)
        spot = self.tiles.spot(place)
        return None if spot is None else self.tile(spot[0], self.read_tile)[spot[1]][1]

    def read_tile(self, tile, stream):
        zero = [0] * 22

        def describe(place, around, features):
            value = self.of.value(place)
            if value == 0:
                return (0, 0)
            left, up, corner, three_up, *moved = around
            same = [min(d, 1000) for v, d in (left, up, *moved, corner, three_up) if v == value]
            first = same[0] if same else -1
            other = next((depth for depth in same if depth != first), -1)
            features[:5] = [value + self.stones, first, min(same, default=-1), max(same, default=-1), other]
            features[5:9] = [features[9] - value, min(left[1], 1000), min(up[1], 1000), up[0] - value]
            depth = stream.token(self.model, features)
            if depth == 255:
                depth = stream.token(self.model, zero)
                depth += stream.token(self.model, zero) << 8
            return (value, depth)

        return tile.walk((0, 0), describe)


# Compressed data.


class Model:
    """The tree, and the slots of each of its leaves."""

    def __init__(self, path, data, most):
        self.path, self.data, self.at = path, data, 0
        self.leaves = 0
        self.root = self.node(0)
        self.slots = [self.leaf(most) for _ in range(self.leaves)]
        if self.at != len(data):
            raise self.trouble()

    def trouble(self):
        return Trouble(f"{self.path}: corrupt: the model is not one, though its checksum is right.")

    def take(self, count):
        self.at += count
        if self.at > len(self.data):
            raise self.trouble()
        return self.data[self.at - count : self.at]

    def node(self, depth):
        feature = self.take(1)[0]
        if feature == 255:
            self.leaves += 1
            return self.leaves - 1
        if feature > 21 or depth >= 48 or self.leaves >= 1024:
            raise self.trouble()
        (threshold,) = struct.unpack("<h", self.take(2))
        left = self.node(depth + 1)
        return (feature, threshold, left, self.node(depth + 1))

    def leaf(self, most):
        """A token and its first slot and its frequency, for each of the slots."""
        token, more = self.take(2)
        if token + more > most:
            raise self.trouble()
        frequencies = [(self.varint(), token + i) for i in range(more + 1)]
        if sum(frequency for frequency, _ in frequencies) != 1 << 14:
            raise self.trouble()
        slots = []
        for frequency, token in sorted(frequencies, key=lambda pair: (-pair[0], pair[1])):
            slots += [(token, len(slots), frequency)] * frequency
        return slots

    def varint(self):
        number, shift = 0, 0
        while True:
            (byte,) = self.take(1)
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def of(self, features):
        node = self.root
        while isinstance(node, tuple):
            feature, threshold, left, right = node
            node = left if features[feature] <= threshold else right
        return self.slots[node]


class Stream:
    """Tokens, one after the other."""

    def __init__(self, path, data):
        self.path, self.empty = path, not data
        if data and (len(data) < 4 or len(data) % 2):
            raise self.trouble()
        self.state = struct.unpack_from("<I", data)[0] if data else START_STATE
        self.words = iter(struct.unpack(f"<{(len(data) - 4) // 2}H", data[4:]) if data else ())

    def trouble(self):
        return Trouble(f"{self.path}: corrupt: a tile does not decode, though its checksum is right.")

    def token(self, model, features):
        if self.empty:
            raise self.trouble()
        slot = self.state % (1 << 14)
        token, start, frequency = model.of(features)[slot]
        self.state = frequency * (self.state >> 14) + slot - start
        if self.state < START_STATE:
            word = next(self.words, None)
            if word is None:
                raise self.trouble()
            self.state = self.state << 16 | word
        return token

    def finish(self):
        if self.state != START_STATE or next(self.words, None) is not None:
            raise self.trouble()


class Tiles:
    """How the stored positions of n stones are cut."""

    def __init__(self, n):
        self.n, self.levels, first = n, [], 0
        for waiting in range(n // 2 + 1):
            rows, columns = open_halves(waiting), halves(n - waiting)
            width = -(-columns // -(-columns // 128))
            height = -(-rows // -(-rows // (2048 // width)))
            across = -(-columns // width)
            self.levels.append((first, waiting, rows, columns, height, width, across))
            first += -(-rows // height) * across
        self.count = first

    def spot(self, place):
        """The tile of a position and its place in it; None if it is not stored."""
        waiting = max(w for w in range(self.n + 1) if level_start(self.n, w) <= place)
        if waiting > self.n // 2:
            return None
        first, _, _, columns, height, width, across = self.levels[waiting]
        row, column = divmod(place - level_start(self.n, waiting), columns)
        if 2 * waiting == self.n and column <= rank(open_in_order(waiting)[0][row]):
            return None
        number = row // height * across + column // width
        width_here = min(width, columns - column // width * width)
        return first + number, row % height * width_here + column % width

    def tile(self, number):
        first, waiting, rows, columns, height, width, across = max(
            level for level in self.levels if level[0] <= number
        )
        row, column = (number - first) // across * height, (number - first) % across * width
        return Tile(self.n, waiting, columns, range(row, min(rows, row + height)), range(column, min(columns, column + width)))


class Tile:
    def __init__(self, n, waiting, columns, rows, own):
        self.rows, self.columns = rows, own
        self.middle = 2 * waiting == n
        self.start, self.stride = level_start(n, waiting), columns
        self.waiting_stones = waiting
        self.open, self.open_rank = open_in_order(waiting)
        self.movers = halves_in_order(n - waiting)[own.start : own.stop]

    def walk(self, start, describe):
        """Decodes the cells, row after row; `describe` says what is in a position."""
        width = len(self.columns)
        # How far back the columns are that neighbours a and c are in.
        back = [[self.column_back(mover, pit) for pit in (3, 2)] for mover in self.movers]
        movers = [(overs(mover), [sum(pit > 0 for pit in mover), *mover]) for mover in self.movers]
        cells, above = [], []
        for i, row in enumerate(self.rows):
            waiting = self.open[row]
            here = list(above[-1]) if above else [start] * width
            first = rank(waiting) + 1 - self.columns.start if self.middle else 0
            waiting_overs = overs(waiting)
            up_by = [self.rows_up(waiting, pit) for pit in (3, 2)]
            for j in range(max(0, first), width):
                up = above[i - 1][j] if i > 0 else None
                left = here[j - 1] if j > 0 else (start if up is None else up)
                up = left if up is None else up
                corner = above[i - 1][j - 1] if i > 0 and j > 0 else up
                around = [left, up, corner, above[i - min(3, i)][j] if i > 0 else up]
                for k in range(2):
                    columns, rows = back[j][k], up_by[k]
                    around.append(here[j - columns] if columns is not None and columns <= j else left)
                    around.append(above[i - rows][j] if rows is not None and rows <= i else up)
                mover_overs, own = movers[j]
                taken = [hint(over, waiting) for over in mover_overs]
                threat = max(hint(over, self.movers[j]) for over in waiting_overs)
                board = [max(taken), sum(taken), threat, self.waiting_stones, waiting[0], waiting[5], *own]
                place = self.start + row * self.stride + self.columns.start + j
                here[j] = describe(place, around, [0] * 9 + board)
            above.append(here)
            cells += here
        return cells

    @staticmethod
    def column_back(half, pit):
        return None if half[pit] == 0 else rank(half) - rank(moved(half, pit))

    def rows_up(self, half, pit):
        before = self.open_rank.get(moved(half, pit)) if half[pit] > 0 else None
        return None if before is None else self.open_rank[half] - before


def moved(half, pit):
    """The half-board with a stone moved from a pit to the next."""
    half = list(half)
    half[pit] -= 1
    half[pit + 1] += 1
    return tuple(half)


def overs(half):
    return [max(0, stones - (5 - pit)) for pit, stones in enumerate(half)]


@lru_cache(maxsize=1 << 16)
def hint(over, half):
    """What a sowing of `over` stones onto a half-board would capture."""
    laps, last = divmod(over - 1, 11)
    if over == 0 or last > 5:
        return 0
    taken = 0
    for pit in range(last, -1, -1):
        stones = half[pit] + laps + 1
        if stones not in (2, 3):
            break
        taken += stones
    return taken


# Rules: only what a look ahead needs.


def moves(board, rules):
    """The legal moves: what each captures, the board after it, and whether it ends the game."""
    found = []
    for pit in (pit for pit in range(6) if board[pit] > 0):
        pits, at = list(board), pit
        pits[pit] = 0
        for _ in range(board[pit]):
            at = (at + 1) % 12
            if at == pit:
                at = (at + 1) % 12
            pits[at] += 1
        sown, captured = list(pits), 0
        while at > 5 and pits[at] in (2, 3):
            captured += pits[at]
            pits[at] = 0
            at -= 1
        ends = False
        if captured > 0 and sum(pits[6:]) == 0:
            if rules == "awari":
                continue
            if rules == "abapa":
                pits, captured = sown, 0
            else:
                ends = True
        elif sum(pits[6:]) == 0:
            continue  # Does not feed.
        found.append((captured, tuple(pits[6:] + pits[:6]), ends))
    return found


# A directory of tables.


class Tables:
    def __init__(self, directory, rules):
        self.directory, self.rules = directory, rules
        self.values, self.depths = {}, {}

    def path(self, stones, kind):
        return os.path.join(self.directory, self.rules, f"{stones:02}.{kind}")

    def table(self, stones):
        if stones not in self.values:
            path = self.path(stones, "awari")
            try:
                self.values[stones] = Values(path, self.rules, stones)
            except FileNotFoundError:
                raise Trouble(f"{path}: no such table. Build it: awari build --stones {stones}") from None
        return self.values[stones]

    def depth_table(self, stones):
        if stones not in self.depths:
            try:
                path = self.path(stones, "depth")
                self.depths[stones] = Depths(path, self.rules, stones, self.table(stones))
            except FileNotFoundError:
                self.depths[stones] = None
        return self.depths[stones]

    @staticmethod
    def place(board):
        """The place of a board in its table; None if it is in none."""
        mover, waiting = board[:6], board[6:]
        if 0 not in waiting:
            return None
        n, w = sum(board), sum(waiting)
        return level_start(n, w) + open_in_order(w)[1][waiting] * halves(n - w) + rank(mover)

    @lru_cache(maxsize=1 << 16)
    def value(self, board):
        n, place = sum(board), self.place(board)
        stored = None if place is None else self.table(n).value(place)
        if stored is not None:
            return stored
        legal = moves(board, self.rules)
        if not legal:
            return -n if sum(board[:6]) == 0 else n
        return max(self.worth(n, move) for move in legal)

    def worth(self, n, move):
        captured, child, ends = move
        return n if ends else captured - self.value(child)

    @lru_cache(maxsize=1 << 16)
    def depth(self, board):
        """The depth of a board, or None if there is no table of it."""
        n, place, value = sum(board), self.place(board), self.value(board)
        if value == 0:
            return 0
        table = self.depth_table(n)
        if table is None:
            return None
        stored = None if place is None else table.depth(place)
        if stored is not None:
            return stored
        kept = [move for move in moves(board, self.rules) if self.worth(n, move) == value]
        depths = [1 if captured or ends else 1 + self.depth(child) for captured, child, ends in kept]
        return (min if value > 0 else max)(depths, default=0)


def parse(text):
    numbers = re.split(r"[\s,/|]+", text.strip())
    try:
        return board_of([int(number) for number in numbers])
    except ValueError:
        raise Trouble(f"{text!r}: expected twelve numbers, like 0 0 0 0 1 0 / 0 1 0 0 0 0.") from None


def board_of(pits):
    if not isinstance(pits, list) or len(pits) != 12 or not all(type(pit) is int for pit in pits):
        raise Trouble(f"{pits}: expected twelve numbers.")
    if min(pits) < 0 or sum(pits) > 48 or sum(pits) == 47:
        raise Trouble(f"{pits}: no game has such a board: up to 46 stones, or 48.")
    return tuple(pits)


def asked(options):
    """Rules and board of each question."""
    for text in options.positions:
        yield options.rules, parse(text)
    if options.jsonl is None:
        return
    with sys.stdin if options.jsonl == "-" else open(options.jsonl, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                question = json.loads(line)
                rules = question.get("rules", options.rules)
                if rules not in RULES:
                    raise Trouble(f"rules {rules!r} are none of {', '.join(RULES)}.")
                yield rules, board_of(question.get("board"))
            except (ValueError, AttributeError, Trouble) as error:
                raise Trouble(f"{options.jsonl}: line {number}: {error}") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", nargs="*", metavar="POSITION", help="twelve numbers in one argument")
    parser.add_argument("--dir", default="databases", help="the directory of tables [default: databases]")
    parser.add_argument("--rules", default="awari", choices=RULES, help="the rules [default: awari]")
    parser.add_argument("--jsonl", metavar="FILE", help="a file of positions, or - for stdin")
    options = parser.parse_args()
    if not options.positions and options.jsonl is None:
        parser.error("give a POSITION or --jsonl FILE")
    tables = {rules: Tables(options.dir, rules) for rules in RULES}
    try:
        for rules, board in asked(options):
            value, depth = tables[rules].value(board), tables[rules].depth(board)
            print(json.dumps({"rules": rules, "board": list(board), "value": value, "depth": depth}))
        sys.stdout.flush()
    except (Trouble, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
