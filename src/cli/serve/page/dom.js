// Elements, made short.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Fills an element anew. Who is in it with the keyboard stays in it: at the same button, or the first;
// or at the element itself until there is one.
export function refill(element, ...children) {
  const at = element.contains(document.activeElement) ? document.activeElement : null;
  const { ply } = at?.dataset ?? {};
  element.replaceChildren(...children);
  if (!at) return;
  const button = (ply && element.querySelector(`[data-ply="${ply}"]`)) || element.querySelector("button");
  if (!button) element.tabIndex = -1;
  (button ?? element).focus();
}

// Says what went wrong; nothing hides it.
export function trouble(message) {
  $("trouble").hidden = !message;
  $("trouble").textContent = message ?? "";
}
