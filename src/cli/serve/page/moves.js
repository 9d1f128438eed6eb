// What the position is worth, its moves, and the best line.

import { $, html, refill } from "./dom.js";
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

// Why nothing is known. `largest` are the stones of the largest table.
function missing({ stones: count, rules }, largest, computer) {
  const there = largest === undefined ? ""
    : largest === null ? ` There is none of these rules yet: awari build --stones 12 --rules ${rules} builds some.`
      : ` The largest is of ${stones(largest)}.`;
  const on = largest === null ? " You can play all the same." : " Play on: values come as soon as the tables have them.";
  return `There is no table of ${stones(count)} under rules ${rules} here.${there}${on}${computer ? " Until then nobody plays perfectly: move for both." : ""}`;
}

// The value, or why it is not known.
export function verdict(now, rules_say, probe, trouble, largest, computer) {
  if (!probe) {
    const why = trouble?.says?.code === "missing-table" ? missing(trouble.says, largest, computer) : trouble ? "" : "Asking…";
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
    refill($("moves"));
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
  refill($("moves"), html("table", {}, html("thead", {}, html("tr", {}, head)), html("tbody", {}, rows)));
}

// The best line; a press on a move plays up to it.
export function line(now, found, follow) {
  $("line-head").hidden = !found;
  if (!found) {
    refill($("line"));
    return;
  }
  const buttons = found.plies.map((ply, at) => {
    const name = letter("ABCDEF".indexOf(ply.pit), now.south === (at % 2 === 0));
    const words = ply.captured ? `${name}+${ply.captured}` : name;
    return html("button", { "data-at": at, title: `Play up to here; value ${signed(ply.value)}`, onclick: () => follow(at + 1) }, words);
  });
  refill($("line"), ...buttons, html("p", { class: "help" }, finish(found)));
}
