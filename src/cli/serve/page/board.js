// The board, drawn.

import { svg } from "./dom.js";
import { ILLEGAL, category, letter, player, plies, shape, signed, stones } from "./words.js";

// Places, for a wide screen and for a phone, where the stores are not drawn.
const WIDE = { width: 900, height: 420, edge: 62, top: 147, bottom: 273, radius: 52, first: 180, step: 108, wood: [10, 880], stores: [70, 830], badge: [74, 27], more: 17, stone: 12.5 };
const NARROW = { width: 400, height: 294, edge: 61, top: 116, bottom: 178, radius: 29, first: 39, step: 64.4, wood: [2, 396], stores: null, badge: [54, 21], more: 13, stone: 7 };

// A number that looks random, and is the same for the same stone.
function scatter(seed) {
  const x = Math.sin(seed * 127.1 + 11.7) * 43758.5453;
  return x - Math.floor(x);
}

// Stones lie as seeds do in a sunflower, a little out of place.
function heap(count, x, y, radius, size, seed) {
  const small = Math.min(size, (radius * 0.86) / Math.sqrt(Math.max(count, 4)) * 1.12);
  const reach = Math.max(0, radius - small - 3);
  return Array.from({ length: count }, (_, at) => {
    const far = count === 1 ? 0 : reach * Math.sqrt((at + 0.5) / count) * 0.97;
    const angle = at * 2.39996 + seed;
    const [dx, dy] = [scatter(seed + at * 3), scatter(seed + at * 3 + 1)].map((part) => (part - 0.5) * small * 0.5);
    return svg("circle", { class: "stone", cx: (x + far * Math.cos(angle) + dx).toFixed(1), cy: (y + far * Math.sin(angle) + dy).toFixed(1), r: small.toFixed(1), fill: "url(#stone)" });
  });
}

const stops = (...names) => names.map((name, at) => svg("stop", { class: name, offset: at / (names.length - 1) }));

function definitions() {
  return svg("defs", {},
    svg("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 0.25, y2: 1 }, stops("wood-1", "wood-2")),
    svg("radialGradient", { id: "hollow", cx: 0.5, cy: 0.62, r: 0.62 }, stops("hollow-2", "hollow-1")),
    svg("radialGradient", { id: "stone", cx: 0.36, cy: 0.32, r: 0.75 }, stops("stone-1", "stone-2", "stone-3")));
}

function wood(places) {
  const [x, width] = places.wood;
  const [y, height] = [places.edge, places.height - 2 * places.edge];
  const lines = [0.16, 0.3, 0.52, 0.71, 0.87].map((part, at) => {
    const up = y + height * part;
    const bend = (scatter(at) - 0.5) * 22;
    return svg("path", { class: "grain", d: `M${x + 8} ${up}C${x + width * 0.3} ${up + bend} ${x + width * 0.6} ${up - bend} ${x + width - 8} ${up + bend / 3}` });
  });
  const middle = (places.top + places.bottom) / 2;
  const ends = [places.first - places.radius, places.first + 5 * places.step + places.radius];
  return svg("g", { "aria-hidden": "true" },
    svg("rect", { x, y, width, height, rx: places.stores ? 48 : 22, fill: "url(#wood)" }), lines,
    svg("line", { class: "ridge", x1: ends[0], x2: ends[1], y1: middle, y2: middle }));
}

function store(places, x, count, seed) {
  const [y, height] = [places.top - 46, places.bottom - places.top + 92];
  const middle = (places.top + places.bottom) / 2;
  return svg("g", { "aria-hidden": "true" },
    svg("rect", { class: "rim", x: x - 37, y, width: 74, height, rx: 37 }),
    heap(Math.min(count ?? 0, 48), x, middle, 36, 8.5, seed).map((stone, at) => {
      // A store is long: spread the heap.
      stone.setAttribute("cy", (middle + (Number(stone.getAttribute("cy")) - middle) * 2.4 + (at % 2)).toFixed(1));
      return stone;
    }),
    svg("text", { class: "store-count", x, y: y - 9 }, count === null ? "" : String(count)));
}

// What a move is worth: on the outer side of its pit.
function badge(places, x, up, move) {
  const [width, height] = places.badge;
  const y = up ? places.edge - 8 - height : places.height - places.edge + 8;
  const both = [move.captured ? `takes ${move.captured}` : null, move.depth ? plies(move.depth) : null].filter(Boolean);
  const more = places.stores && both.length ? [both.join(", ")] : both;
  if (up) more.reverse();
  const rows = more.map((words, at) => {
    const line = up ? y - 9 - places.more * (more.length - 1 - at) : y + height + places.more * (at + 1) + 1;
    return svg("text", { class: "more", x, y: line }, words);
  });
  return svg("g", { class: `badge ${category(move.value)}`, "aria-hidden": "true" },
    svg("rect", { x: x - width / 2, y, width, height, rx: height / 2 }),
    move.best ? svg("rect", { class: "ring", fill: "none", x: x - width / 2 - 4, y: y - 4, width: width + 8, height: height + 8, rx: height / 2 + 4 }) : null,
    svg("text", { class: "worth", x, y: y + height / 2 + places.more * 0.37 }, `${shape(move.value)} ${signed(move.value)}`),
    rows);
}

function describe(pit, south, count, move, refused, state) {
  const name = `${player(south)}'s pit ${letter(pit, south)}, ${stones(count)}`;
  if (state.setup) return `${name}. Press to put a stone in, minus to take one out.`;
  if (refused) return `${name}, ${ILLEGAL[refused.reason]}`;
  if (!move) return name;
  if (move.value === undefined) return `${name}, can be played`;
  const depth = move.depth ? `, in ${plies(move.depth)}` : "";
  const takes = move.captured ? `, takes ${move.captured}` : "";
  return `${name}: ${category(move.value)}, value ${signed(move.value)}${takes}${depth}${move.best ? ", best" : ""}`;
}

// Draws a state: { now, moves, illegal, last, flip, setup, narrow }, and calls press(pit, south, event).
export function draw(board, state, press) {
  const places = state.narrow ? NARROW : WIDE;
  const focused = document.activeElement?.dataset?.pit;
  board.setAttribute("viewBox", `0 0 ${places.width} ${places.height}`);
  board.setAttribute("class", state.narrow ? "narrow" : "");
  const { board: pits, south, stores } = state.now;
  const parts = [definitions(), wood(places)];
  const store_of = (side) => (stores ? stores[side === south ? 0 : 1] : null);
  if (places.stores) {
    parts.push(store(places, places.stores[0], store_of(state.flip), 5), store(places, places.stores[1], store_of(!state.flip), 9));
  }
  for (const up of [true, false]) {
    // Who sits above has his pits from right to left.
    const side = up === state.flip;
    for (let column = 0; column < 6; column += 1) {
      const pit = up ? 5 - column : column;
      const count = pits[(side === south ? 0 : 6) + pit];
      const [x, y] = [places.first + column * places.step, up ? places.top : places.bottom];
      const name = "ABCDEF"[pit];
      const move = side === south && !state.setup ? state.moves.find((move) => move.pit === name) : undefined;
      const refused = side === south ? state.illegal.find((refused) => refused.pit === name) : undefined;
      const can = state.setup || move;
      const edge = up ? y - places.radius - 8 : y + places.radius + (state.narrow ? 17 : 23);
      const last = state.last && state.last.south === side && state.last.pit === pit;
      const act = (event) => { if (can) press(pit, side, event); };
      parts.push(svg("g", {
        class: ["pit", can && "can", last && "last"].filter(Boolean).join(" "),
        "data-pit": letter(pit, side), "data-count": count, "data-value": move?.value, "data-depth": move?.depth,
        role: "button", tabindex: can ? 0 : -1, "aria-disabled": can ? "false" : "true",
        "aria-label": describe(pit, side, count, move, refused, state),
        onclick: act,
        onkeydown: (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); act(event); } },
      },
      svg("circle", { class: "rim", cx: x, cy: y, r: places.radius }),
      heap(count, x, y, places.radius, places.stone, pit + (side ? 1 : 20)),
      svg("text", { class: "letter", x: x - (state.narrow ? 13 : 20), y: edge }, letter(pit, side)),
      svg("text", { class: "count", x: x - (state.narrow ? 1 : 2), y: edge }, String(count)),
      move && move.value !== undefined ? badge(places, x, up, move) : null));
    }
  }
  board.replaceChildren(...parts);
  if (focused) board.querySelector(`[data-pit="${focused}"]`)?.focus();
}
