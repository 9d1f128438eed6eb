// Plots: bars of counts, and what each move of a game cost.

import { svg } from "./dom.js";
import { signed } from "./words.js";

// As wide as it is shown, so that words have their size.
const across = (plot) => Math.max(300, Math.round(plot.getBoundingClientRect().width) || 720);

// Bars of { name, count, kind }, with the words of one where the mouse is, or the arrow keys; `scale`
// makes a height of a count.
export function bars(plot, text, entries, words, scale = (count) => count) {
  const height = 200;
  const base = height - 22;
  const width = across(plot);
  plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const most = Math.max(1, ...entries.map((entry) => scale(entry.count)));
  const step = width / Math.max(entries.length, 1);
  const every = Math.ceil(entries.length / (width / 34));
  // Words stay inside the plot.
  const place = (x) => Math.max(13, Math.min(x, width - 13));
  let here = -1;
  const tell = (at) => {
    here = at;
    text.textContent = words(entries[at]);
    plot.querySelectorAll(".hit").forEach((hit, other) => hit.classList.toggle("here", other === at));
  };
  plot.tabIndex = 0;
  plot.onkeydown = (event) => {
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: entries.length - 1 }[event.key];
    if (to === undefined || !entries.length) return;
    event.preventDefault();
    tell(Math.max(0, Math.min(to, entries.length - 1)));
  };
  plot.replaceChildren(
    svg("line", { class: "axis", x1: 0, x2: width, y1: base, y2: base }),
    ...entries.flatMap((entry, at) => {
      const tall = entry.count ? Math.max(1, (scale(entry.count) / most) * (base - 12)) : 0;
      const x = at * step;
      const name = at % every === 0 ? svg("text", { x: place(x + step / 2), y: height - 6, "text-anchor": "middle" }, entry.name) : null;
      const say = () => tell(at);
      return [
        svg("rect", { class: `bar ${entry.kind ?? ""}`, x: x + step * 0.08, y: base - tall, width: step * 0.84, height: tall, rx: Math.min(2, step / 4) }),
        svg("rect", { class: "hit", x, y: 0, width: step, height: base, onmouseenter: say, onclick: say }),
        name,
      ].filter(Boolean);
    }));
}

// What each move cost: South's upwards, North's downwards.
export function losses(plot, moves, at, say, go) {
  const height = 170;
  const middle = height / 2;
  const width = across(plot);
  plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const most = Math.max(4, ...moves.map((move) => move.cost ?? 0));
  const left = 52;
  const step = Math.min(40, (width - left) / Math.max(moves.length, 1));
  plot.replaceChildren(
    // The height of a side, and what it stands for.
    svg("text", { x: 0, y: 16 }, "South"), svg("text", { x: 0, y: 32 }, signed(-most)),
    svg("text", { x: 0, y: height - 24 }, signed(-most)), svg("text", { x: 0, y: height - 8 }, "North"),
    svg("line", { class: "axis", x1: left, x2: width, y1: middle, y2: middle }),
    ...moves.flatMap((move, ply) => {
      const x = left + ply * step;
      const tall = ((move.cost ?? 0) / most) * (middle - 12);
      const bar = { class: `bar ${move.south ? "south" : "north"}`, x: x + step * 0.12, width: step * 0.76, rx: 1.5 };
      return [
        // A move without a loss is a line, one without a grade is nothing.
        move.cost === null ? null : svg("rect", { ...bar, y: move.south ? middle - Math.max(tall, 1.5) : middle, height: Math.max(tall, 1.5) }),
        svg("rect", {
          class: `hit${ply + 1 === at ? " here" : ""}`, "data-ply": ply + 1, x, y: 0, width: step, height,
          onmouseenter: () => say(ply), onclick: () => go(ply + 1),
        }),
      ].filter(Boolean);
    }));
}
