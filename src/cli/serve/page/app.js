// The page: what is shown, and what keys and buttons do.

import { draw } from "./board.js";
import { $, html, trouble } from "./dom.js";
import { Game, node, replayed, text } from "./game.js";
import * as answer from "./moves.js";
import { history, summary } from "./record.js";
import * as server from "./server.js";
import { letter, player } from "./words.js";

const START = { board: Array(12).fill(4), stores: [0, 0], south: true };
// What to begin with: the first whose table is there.
const OPENINGS = [[0, 1, 0, 2, 1, 1, 1, 0, 2, 1, 2, 1], [0, 0, 1, 0, 0, 2, 1, 2, 0, 0, 1, 0]];
const PAUSE = 450;

const narrow = matchMedia("(max-width: 620px)");
let game = new Game(START);
let rules = "awari";
let flip = false;
let setup = false;
let graded = [];
// What the server says of the position shown.
let says = {};
let asking = new AbortController();
let moving = 0;

function sides() {
  const { south, stores } = game.now;
  for (const up of [true, false]) {
    const side = up === flip;
    const captured = stores ? `captured ${stores[side === south ? 0 : 1]}` : "";
    $(up ? "side-top" : "side-bottom").replaceChildren(html("b", {}, player(side)),
      ...(side === south && !says.position?.end ? [html("span", { class: "to-move" }, "to move")] : []),
      html("span", { class: "captured" }, captured));
  }
}

function moves() { return says.probe?.moves ?? says.position?.moves ?? []; }

// Nothing is drawn anew between press and release: a click needs the same element at both.
let pressed = false;
let due = false;

function hold(event) {
  pressed = event.type === "pointerdown";
  if (pressed || !due) return;
  // The click comes after the release.
  setTimeout(() => { if (due && !pressed) paint(); });
}

function paint() {
  due = pressed;
  if (pressed) return;
  const { now } = game;
  const last = game.at > 0 ? game.moves[game.at - 1] : null;
  draw($("board"), { now, moves: moves(), illegal: says.position?.illegal ?? [], last, flip, setup, narrow: narrow.matches }, press);
  sides();
  $("back").disabled = game.at === 0;
  $("redo").disabled = game.isLast;
  $("setup").setAttribute("aria-pressed", setup);
  $("setup-tools").hidden = !setup;
  if (document.activeElement !== $("position")) $("position").value = text(now);
  answer.verdict(now, says.position, says.probe, says.trouble, says.largest, $("computer").value);
  answer.list(now, says.probe?.moves ?? [], play);
  answer.line(now, says.line, follow);
}

// Shows the position, then what the server says of it, as it comes.
async function show() {
  asking.abort();
  asking = new AbortController();
  clearTimeout(moving);
  const { signal } = asking;
  const board = text(game.now);
  says = {};
  trouble(null);
  address();
  history(game, go);
  paint();
  document.body.dataset.state = "asking";
  const part = async (name, question) => {
    try {
      const found = await question(board, rules, signal);
      if (!signal.aborted) says[name] = found;
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      says.trouble ??= error;
      if (error.says?.code !== "missing-table") trouble(error.message);
      else if (name === "probe") says.largest = await largest(signal).catch(() => undefined);
    }
    if (!signal.aborted) paint();
  };
  await Promise.all([part("position", server.position), part("probe", server.probe), part("line", server.line)]);
  if (signal.aborted) return;
  document.body.dataset.state = "ready";
  const computer = $("computer").value;
  if (computer && (computer === "S") === game.now.south && game.isLast && !setup && says.probe?.moves.length) {
    moving = setTimeout(reply, PAUSE);
  }
}

// The stones of the largest table of the rules; null if there is none.
async function largest(signal) {
  const { tables } = await server.tables(signal);
  return tables.findLast((table) => table.kind === "table" && table.rules === rules)?.stones ?? null;
}

// Perfect play moves: as in the best line, or else the best move. It does not guess.
function reply() {
  const { moves } = says.probe;
  const pit = says.line?.plies[0]?.pit ?? moves[0].pit;
  const move = moves.find((move) => move.pit === pit);
  if (move) play(move);
}

function play(move) {
  const best = says.probe?.moves[0]?.value;
  const before = game.now;
  game.play(move, move.value === undefined ? null : best - move.value);
  // Who plays faster than the server answers is told later what it cost.
  if (move.value === undefined && !says.trouble) grade(game, game.moves[game.at - 1], text(before));
  show();
}

async function grade(of, move, board) {
  try {
    const { moves } = await server.probe(board, rules);
    const played = moves.find((one) => one.pit === "ABCDEF"[move.pit]);
    if (move.cost === null && played) move.cost = moves[0].value - played.value;
    if (of === game) history(game, go);
  } catch {
    // There is no table of it, and the move stays without a grade.
  }
}

function go(at) {
  game.go(at);
  show();
}

// Plays the first moves of the best line.
async function follow(count) {
  const { plies, last } = says.line;
  for (let at = 0; at < count; at += 1) {
    const child = at + 1 < plies.length ? plies[at + 1].board : last;
    game.play({ ...plies[at], child }, 0);
  }
  show();
}

function press(pit, south, event) {
  if (setup) {
    const take = event.shiftKey || $("remove").getAttribute("aria-pressed") === "true";
    change(pit, south, take ? -1 : 1);
    return;
  }
  const move = moves().find((move) => move.pit === "ABCDEF"[pit]);
  if (move && south === game.now.south) play(move);
}

// Puts a stone in or takes one out.
function change(pit, south, by) {
  const { board, south: turn } = game.now;
  const pits = [...board];
  const at = pit + (south === turn ? 0 : 6);
  pits[at] += by;
  if (pits[at] < 0 || pits.reduce((a, b) => a + b) > 48) return;
  begin({ board: pits, stores: null, south: turn });
}

function begin(position) {
  game = new Game(position);
  show();
}

// The address holds the game, so that it can be shared.
function address() {
  const start = game.nodes[0];
  const parts = new URLSearchParams({ rules, board: text(start) });
  if (!start.stores && !start.south) parts.set("side", "N");
  if (game.moves.length) parts.set("moves", game.letters());
  if (!game.isLast) parts.set("at", game.at);
  if (flip) parts.set("flip", 1);
  window.history.replaceState(null, "", `#${parts}`);
}

// A start and letters, played by the rules and graded.
async function replay(start, letters) {
  const swapped = !start.stores && !start.south;
  const pits = swapped ? [...letters].map((pit) => (pit < "a" ? pit.toLowerCase() : pit.toUpperCase())).join("") : letters;
  const answer = await server.grade(`[FEN "${text(start)}"]\n\n${pits} *\n`, rules);
  return replayed(answer.games[0], swapped);
}

async function from_address() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (["awari", "abapa", "slam-ends"].includes(parts.get("rules"))) rules = parts.get("rules");
  $("rules").value = rules;
  flip = parts.get("flip") === "1";
  const board = parts.get("board");
  if (!board) return false;
  try {
    const start = node(await server.position(board, rules));
    if (parts.get("side") === "N" && !start.stores) start.south = false;
    const letters = (parts.get("moves") ?? "").replace(/[^a-f]/gi, "");
    game = letters ? await replay(start, letters) : new Game(start);
    if (parts.has("at")) game.go(Number(parts.get("at")) || 0);
    await show();
  } catch (error) {
    await show();
    trouble(error.message);
  }
  return true;
}

async function opening() {
  const { rules: usual, tables } = await server.tables().catch(() => ({ rules, tables: [] }));
  rules = usual;
  $("rules").value = rules;
  const there = (count) => tables.some((table) => table.kind === "table" && table.rules === rules && table.stones === count);
  const board = OPENINGS.find((pits) => there(pits.reduce((a, b) => a + b)));
  return begin(board ? { board, stores: null, south: true } : START);
}

async function pasted(event) {
  event.preventDefault();
  try {
    begin(node(await server.position($("position").value, rules)));
  } catch (error) {
    trouble(error.message);
  }
}

// Reads recorded games; rules that a record names are taken over.
async function read(event) {
  event.preventDefault();
  try {
    graded = (await server.grade($("ogn").value, rules)).games;
  } catch (error) {
    if (error.says?.code === "wrong-rules" && error.says.rules !== rules) {
      rules = error.says.rules;
      $("rules").value = rules;
      return read(event);
    }
    trouble(error.message);
    return undefined;
  }
  $("which-label").hidden = graded.length < 2;
  $("which").replaceChildren(...graded.map((one, at) => html("option", { value: at }, one.error ? `${at + 1}: broken` : `${at + 1}: ${one.plies.length} moves`)));
  return choose(0);
}

function choose(at) {
  $("which").value = at;
  summary(graded[at]);
  if (graded[at].error) return;
  game = replayed(graded[at]);
  show();
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    $("share").textContent = "Copied";
  } catch {
    // Without a secure connection browsers give no clipboard: the address bar has it all the same.
    $("share").textContent = "See the address bar";
  }
  setTimeout(() => { $("share").textContent = "Share"; }, 2000);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const { key: name } = event;
  const pit = /^[1-6]$/.test(name) ? Number(name) - 1 : "abcdef".indexOf(name.toLowerCase());
  const focused = document.activeElement?.dataset?.pit;
  if (setup && focused && "+-".includes(name)) {
    change("abcdef".indexOf(focused.toLowerCase()), focused < "a", name === "+" ? 1 : -1);
  } else if (name === "ArrowLeft") go(game.at - 1);
  else if (name === "ArrowRight") go(game.at + 1);
  else if (name.toLowerCase() === "x") turn();
  else if (pit >= 0 && name.length === 1 && !setup) press(pit, game.now.south, event);
  else return;
  event.preventDefault();
}

function turn() {
  flip = !flip;
  address();
  paint();
}

function listen() {
  const on = (id, act) => $(id).addEventListener("click", act);
  on("back", () => go(game.at - 1));
  on("redo", () => go(game.at + 1));
  on("flip", turn);
  on("share", share);
  const set = (to) => { setup = to; show(); };
  on("setup", () => set(!setup));
  on("done", () => set(false));
  on("remove", () => $("remove").setAttribute("aria-pressed", $("remove").getAttribute("aria-pressed") !== "true"));
  on("clear", () => begin({ board: Array(12).fill(0), stores: null, south: game.now.south }));
  on("start", () => begin(START));
  on("swap", () => {
    const { board, south } = game.now;
    begin({ board: [...board.slice(6), ...board.slice(0, 6)], stores: null, south: !south });
  });
  $("paste").addEventListener("submit", pasted);
  // A drawing has many lines, so this is a field of many; what is asked for is one position.
  $("position").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    $("paste").requestSubmit();
  });
  $("record").addEventListener("submit", read);
  $("which").addEventListener("change", (event) => choose(Number(event.target.value)));
  $("computer").addEventListener("change", show);
  $("rules").addEventListener("change", async (event) => {
    rules = event.target.value;
    // Moves of other rules may not be legal.
    begin(game.now);
  });
  // The address is the game's: the link must not replace it.
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    ($("board").querySelector("[tabindex='0']") ?? $("board")).focus();
  });
  document.addEventListener("keydown", key);
  for (const name of ["pointerdown", "pointerup", "pointercancel"]) window.addEventListener(name, hold, true);
  narrow.addEventListener("change", paint);
  window.addEventListener("hashchange", from_address);
}

listen();
if (!(await from_address())) await opening();
