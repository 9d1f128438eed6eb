// What the position is worth, its moves, and the best line.

import { $, html } from "./dom.js";
import { END, category, letter, player, plies, shape, signed, stones } from "./words.js";

const finish = (line) => ({
  "endless-play": `Then it goes round without end from move ${(line.from ?? 0) + 1}; what is left (${stones(line.last.reduce((a, b) => a + b))}) is split evenly.`,
  "not-known": "How it goes on is not known: the depths of so many stones are not there.",
})[line.finish] ?? END[line.finish];

function sentence(now, probe) {
  const { value, depth } = probe;
  if (value === 0) return "Nobody gains anything over the other from here on.";
  const winner = player(value > 0 === now.south);
  const soon = depth ? ` The next capture, or the end, comes in ${plies(depth)}.` : "";
  return `${winner} captures ${Math.abs(value)} more than ${player(value < 0 === now.south)} from here on.${soon}`;
}

function settle(now, probe) {
  const gain = probe.settle - probe.value;
  const self = player(now.south);
  const than = gain === 0 ? "as much as by playing on" : gain > 0 ? `${gain} better than by playing on` : `${-gain} worse than by playing on`;
  return `If both agree now to keep their own rows, that is ${signed(probe.settle)} for ${self}: ${than}.`;
}

// The value, or why it is not known.
export function verdict(now, rules_say, probe, trouble) {
  if (!probe) {
    const why = trouble?.says?.code === "missing-table"
      ? `There is no table of ${stones(trouble.says.stones)} here. Play on: values come as soon as a smaller table has them.`
      : trouble ? "" : "Asking…";
    $("verdict").replaceChildren(html("p", { class: "help" }, why));
    return;
  }
  const over = rules_say?.end ? html("p", {}, `The game is over. ${END[rules_say.end]}`) : null;
  const score = probe.final_score;
  const sides = score && (now.south ? [score.mover, score.waiting] : [score.waiting, score.mover]);
  $("verdict").replaceChildren(
    html("div", { class: `value ${probe.category}` },
      html("strong", { "data-value": probe.value }, `${shape(probe.value)} ${signed(probe.value)}`),
      html("span", {}, html("b", { class: "worth-word" }, `A ${probe.category} for ${player(now.south)}. `), sentence(now, probe))),
    ...[over, sides ? html("p", {}, `Final score: South ${sides[0]}, North ${sides[1]}.`) : null].filter(Boolean),
    html("p", { class: "help", id: "settle" }, settle(now, probe)));
}

// The moves, the best first.
export function list(now, moves, play) {
  if (!moves.length || moves[0].value === undefined) {
    $("moves").replaceChildren();
    return;
  }
  const head = ["Move", "Result", "Value", "Takes", "Plies"].map((name, at) => html("th", { scope: "col", class: at > 1 ? "number" : "" }, name));
  const rows = moves.map((move) => {
    const name = letter("ABCDEF".indexOf(move.pit), now.south);
    return html("tr", { class: `${category(move.value)}${move.best ? " best" : ""}` },
      html("td", {}, html("button", { "aria-label": `Play ${name}`, onclick: () => play(move) }, name)),
      html("td", { class: "worth-word" }, `${shape(move.value)} ${category(move.value)}${move.best ? ", best" : ""}`),
      html("td", { class: "number" }, signed(move.value)),
      html("td", { class: "number" }, move.captured ? String(move.captured) : ""),
      html("td", { class: "number" }, move.depth === null ? "?" : move.depth ? String(move.depth) : ""));
  });
  $("moves").replaceChildren(html("table", {}, html("thead", {}, html("tr", {}, head)), html("tbody", {}, rows)));
}

// The best line; a press on a move plays up to it.
export function line(now, found, follow) {
  if (!found) {
    $("line").replaceChildren();
    return;
  }
  const buttons = found.plies.map((ply, at) => {
    const name = letter("ABCDEF".indexOf(ply.pit), now.south === (at % 2 === 0));
    const words = ply.captured ? `${name}+${ply.captured}` : name;
    return html("button", { "data-at": at, title: `Play up to here; value ${signed(ply.value)}`, onclick: () => follow(at + 1) }, words);
  });
  $("line").replaceChildren(...buttons, html("p", { class: "help" }, finish(found)));
}
