// Numbers and positions in words.

export const MINUS = "\u2212";

export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `${MINUS}${-value}` : "0");
export const category = (value) => (value > 0 ? "win" : value < 0 ? "loss" : "draw");
// A shape beside the colour.
export const shape = (value) => (value > 0 ? "\u25B2" : value < 0 ? "\u25BC" : "\u25C6");
export const plies = (depth) => (depth === 1 ? "1 ply" : `${depth} plies`);
export const stones = (count) => (count === 1 ? "1 stone" : `${count} stones`);
export const player = (south) => (south ? "South" : "North");
export const letter = (pit, south) => (south ? "ABCDEF" : "abcdef")[pit];
export const grouped = (number) => number.toLocaleString("en");

export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (count >= 1000 && at < 4) { count /= 1000; at += 1; }
  return `${at ? count.toFixed(1) : count} ${units[at]}`;
}

export const END = {
  "no-stones": "The player to move has no stones: the opponent takes the rest.",
  "cannot-feed": "The opponent has no stones and no move feeds him: the player to move takes the rest.",
  "all-slams": "Every move would leave the opponent nothing: the player to move takes the rest.",
};
export const ILLEGAL = {
  "does-not-feed": "may not be played: it does not feed the opponent",
  "grand-slam": "may not be played: it would take everything the opponent has",
};
