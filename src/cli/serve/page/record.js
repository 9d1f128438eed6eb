// The moves so far with what they cost, and recorded games.

import { losses } from "./chart.js";
import { $, html, refill } from "./dom.js";
import { MINUS, letter, player, stones } from "./words.js";

const called = (move) => `${letter(move.pit, move.south)}${move.captured ? `+${move.captured}` : ""}`;

function cost(move) {
  if (move.cost === null) return `not graded: ${move.decided ? "the game was decided" : "its table is not here"}`;
  return move.cost ? `loses ${stones(move.cost)}` : "loses nothing";
}

// The list of moves and the plot.
export function history(game, go) {
  const say = (ply) => {
    const move = game.moves[ply];
    $("plot-text").textContent = `Move ${ply + 1}, ${player(move.south)} plays ${called(move)}: ${cost(move)}.`;
  };
  const none = game.moves.length === 0;
  $("plot").toggleAttribute("hidden", none);
  if (none) $("plot-text").textContent = "No move was played yet.";
  else {
    losses($("plot"), game.moves, game.at, say, go);
    const lost = (south) => game.moves.filter((move) => move.south === south).reduce((sum, move) => sum + (move.cost ?? 0), 0);
    const open = game.moves.filter((move) => move.cost === null).length;
    const rest = open ? ` Moves without a grade: ${open}.` : "";
    $("plot-text").textContent = open === game.moves.length ? "No move is graded: the tables of these positions are not here, or the game was decided."
      : `Stones lost by moves that were not best: South ${lost(true)}, North ${lost(false)}.${rest}`;
  }
  const items = game.moves.map((move, ply) => html("li", {},
    html("button", {
      "aria-current": game.at === ply + 1 ? "step" : null, "data-ply": ply + 1,
      "aria-label": `Move ${ply + 1}, ${player(move.south)} ${called(move)}, ${cost(move)}`, onclick: () => go(ply + 1), onfocus: () => say(ply),
    },
    html("span", { class: "ply" }, `${ply + 1}.`), html("span", {}, called(move)),
    move.cost ? html("span", { class: "cost" }, `${MINUS}${move.cost}`) : null)));
  refill($("history"), ...items);
  const current = $("history").querySelector("[aria-current]");
  if (current) $("history").scrollTop = Math.max(0, current.offsetTop - $("history").offsetTop - 80);
}

const share = (part) => (part === null ? "–" : `${Math.round(part * 100)} %`);

// What the players of a graded game did.
export function summary(graded) {
  if (!graded) {
    $("grades").replaceChildren();
    return;
  }
  if (graded.error) {
    $("grades").replaceChildren(html("p", { class: "trouble" }, graded.error.message));
    return;
  }
  const { south, north } = graded.players;
  const row = (name, of) => html("tr", {}, html("th", { scope: "row" }, name),
    ...[south, north].map((player) => html("td", { class: "number" }, String(of(player)))));
  $("grades").replaceChildren(
    html("table", {},
      html("thead", {}, html("tr", {}, html("th", {}), ...[graded.south ?? "South", graded.north ?? "North"].map((name) => html("th", { scope: "col", class: "number" }, name)))),
      html("tbody", {},
        row("moves graded", (player) => player.graded),
        row("best moves", (player) => share(player.share_best)),
        row("best, of choices", (player) => share(player.share_best_of_choices)),
        row("stones lost", (player) => player.lost),
        row("outcome worse", (player) => player.rest_worse),
        row("no table", (player) => player.no_table),
        row("already decided", (player) => player.decided))),
    html("p", { class: "help" }, `Result ${graded.result}; the record ends ${graded.state === "open" ? "open" : `with: ${graded.state}`}.`));
}
