// A game: positions, the moves between them, and where we are. The rules are the server's.

import { letter } from "./words.js";

// A position: the pits with those of the player to move first, what he and his opponent have captured
// (or null), and whether he is South.
export class Game {
  constructor(start) {
    this.nodes = [start];
    this.moves = [];
    this.at = 0;
  }

  get now() { return this.nodes[this.at]; }
  get isLast() { return this.at === this.moves.length; }

  // Plays a move of the server's; moves that were taken back are forgotten if it is another one.
  // `cost` is what it lost in stones, or null if that is not known.
  play(move, cost) {
    const pit = "ABCDEF".indexOf(move.pit);
    if (!this.isLast && this.moves[this.at].pit === pit) {
      this.at += 1;
      return;
    }
    const { south, stores } = this.now;
    const after = stores && [stores[1], stores[0] + move.captured];
    this.nodes.splice(this.at + 1, Infinity, { board: move.child, stores: after, south: !south });
    this.moves.splice(this.at, Infinity, { pit, captured: move.captured, cost, south });
    this.at += 1;
  }

  go(at) { this.at = Math.max(0, Math.min(at, this.moves.length)); }

  letters() { return this.moves.map((move) => letter(move.pit, move.south)).join(""); }
}

// The position as text: with captured stones where they are known, so that nothing is lost.
export function text({ board, stores, south }) {
  if (!stores) return `${board.slice(0, 6).join(" ")} / ${board.slice(6).join(" ")}`;
  const sides = south ? board : [...board.slice(6), ...board.slice(0, 6)];
  const both = south ? stores : [stores[1], stores[0]];
  return [...sides, ...both, south ? "S" : "N"].join("-");
}

// A position of the server's.
export const node = ({ board, stores, south_to_move }) => ({ board, stores, south: south_to_move });

// A graded game of the server's. `swapped`: the record calls South who is North.
export function replayed(graded, swapped = false) {
  const turn = (position) => ({ ...node(position), south: position.south_to_move !== swapped });
  const game = new Game(turn(graded.start));
  game.nodes = [...graded.plies.map(turn), turn(graded.now)];
  game.moves = graded.plies.map((ply) => ({
    pit: "ABCDEF".indexOf(ply.pit),
    captured: ply.captured,
    cost: ply.verdict === "graded" ? ply.loss : null,
    decided: ply.verdict === "decided",
    south: ply.south_to_move !== swapped,
  }));
  game.at = game.moves.length;
  return game;
}
