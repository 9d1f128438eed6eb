// The tables that are there.

import { bars } from "./chart.js";
import { $, html, trouble } from "./dom.js";
import * as server from "./server.js";
import { bytes, category, grouped, plies, signed } from "./words.js";

const PROOF = { complete: "proved", relative: "proved upon others", stale: "stale", none: "none" };
const KNOWN = { good: "known good", unknown: "not listed", differs: "DIFFERS" };

function row(table) {
  const name = `${table.rules}, ${table.stones} stones`;
  if (table.kind !== "table") {
    const words = table.kind === "missing" ? "missing" : `cannot be used: ${table.error}`;
    return html("tr", {}, html("td", {}, table.rules), html("td", { class: "number" }, String(table.stones)), html("td", { colspan: 6 }, words));
  }
  const number = (words) => html("td", { class: "number" }, words);
  return html("tr", {},
    html("td", {}, table.rules), number(String(table.stones)), number(grouped(table.positions)),
    html("td", { class: "wider" }, table.encoding), number(bytes(table.bytes + (table.depth?.bytes ?? 0))),
    html("td", { class: "number wider" }, table.depth ? String(table.depth.max) : "–"), html("td", { class: "wider" }, PROOF[table.proof]),
    html("td", {}, html("button", { "aria-label": `Show ${name}`, "data-table": `${table.rules}-${table.stones}`, onclick: () => open(table) }, "Show")));
}

function facts(table) {
  const fact = (name, value, kind) => [html("dt", {}, name), html("dd", { class: kind }, value)];
  const known = (of) => (of ? ` (${KNOWN[of]})` : "");
  $("facts").replaceChildren(...[
    fact("Positions", grouped(table.positions)),
    table.counts ? fact("Won, drawn, lost", [table.counts.win, table.counts.draw, table.counts.loss].map(grouped).join(", ")) : [],
    fact("Values", `${table.encoding}, ${bytes(table.bytes)}, ${table.bits_per_position.toFixed(2)} bits a position`),
    fact("Their SHA-256", `${table.content_hash ?? "not known: the file has no header"}${known(table.known)}`, "hash"),
    table.depth ? fact("Depths", `${table.depth.encoding}, ${bytes(table.depth.bytes)}, to ${plies(table.depth.max)}`) : [],
    table.depth ? fact("Their SHA-256", `${table.depth.content_hash}${known(table.depth.known)}`, "hash") : [],
    fact("Proof", table.proof === "none" ? "none here: awari verify --prove makes one" : PROOF[table.proof]),
  ].flat());
}

let shown = null;

async function open(table, scroll = true) {
  shown = table;
  $("one").hidden = false;
  $("one-head").textContent = `Rules ${table.rules}, ${table.stones} stones`;
  facts(table);
  const counts = table.counts?.histogram ?? {};
  const values = Object.keys(counts).map(Number).sort((a, b) => a - b);
  const range = values.length ? Array.from({ length: values.at(-1) - values[0] + 1 }, (_, at) => values[0] + at) : [];
  bars($("values"), $("values-text"), range.map((value) => ({ name: signed(value), count: counts[value] ?? 0, kind: category(value) })),
    (entry) => `Value ${entry.name}: ${grouped(entry.count)} positions.`);
  $("values-text").textContent = values.length ? `From ${signed(values[0])} to ${signed(values.at(-1))}, seen from the player to move.` : "Not counted.";
  $("depths").replaceChildren();
  $("depths").removeAttribute("tabindex");
  $("depths-text").textContent = table.depth ? "Counting…" : "There are no depths of this table.";
  if (scroll) $("one").scrollIntoView({ block: "start" });
  if (!table.depth) return;
  try {
    const { max, sum, histogram } = await server.depths(table.rules, table.stones);
    // Another table may have been chosen meanwhile.
    if (shown !== table) return;
    const entries = Array.from({ length: max + 1 }, (_, depth) => ({ name: String(depth), count: histogram[depth] ?? 0 }));
    bars($("depths"), $("depths-text"), entries, (entry) => `Depth ${entry.name}: ${grouped(entry.count)} positions.`,
      (count) => Math.log10(1 + count));
    $("depths-text").textContent = `The deepest takes ${plies(max)}; ${(sum / table.positions).toFixed(2)} in the mean. Depth 0 is value 0, or the end of the game. The scale of the bars is logarithmic.`;
  } catch (error) {
    if (shown === table) $("depths-text").textContent = error.message;
  }
}

async function show() {
  try {
    const { tables, rules, version } = await server.tables();
    const there = tables.filter((table) => table.kind === "table");
    const all = there.reduce((sum, table) => sum + table.positions, 0);
    $("summary").textContent = there.length
      ? `${there.length} tables, ${grouped(all)} positions; awari ${version}. Sizes are those of values and depths together.`
      : "There are no tables here yet. awari build --stones 12 builds some; this page finds them.";
    const head = [["Rules"], ["Stones", "number"], ["Positions", "number"], ["Encoding", "wider"], ["Size", "number"], ["Max depth", "number wider"], ["Proof", "wider"], [""]]
      .map(([name, kind]) => html("th", { scope: "col", class: kind }, name));
    if (tables.length) $("list").replaceChildren(html("div", { class: "wide" },
      html("table", {}, html("thead", {}, html("tr", {}, head)), html("tbody", {}, tables.map(row)))));
    const first = there.findLast((table) => table.rules === rules) ?? there[0];
    if (first) await open(first, false);
  } catch (error) {
    trouble(error.message);
  }
}

await show();
