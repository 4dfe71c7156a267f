// SPDX-License-Identifier: GPL-3.0-or-later
import { el } from "./dom.js";

/** @typedef {import("../data/results.js").Group} Group @typedef {import("../state.js").State} State */

/** More are drawn by filtering. */
const MOST_OPEN = 60;
const MOST_LISTED = 400;

/** Signals by the element that they belong to. @param {Group[]} groups @returns {Map<string, Group[]>} */
function byElement(groups) {
  /** @type {Map<string, Group[]>} */
  const elements = new Map();
  for (const group of groups) {
    const element = group.signal.split(".")[0];
    elements.set(element, [...(elements.get(element) ?? []), group]);
  }
  return elements;
}

/** @param {State} state @param {Group} group @param {string} element */
function signalBox(state, group, element) {
  const box = el("input", { type: "checkbox", "data-signal": group.signal, checked: state.view.signals.includes(group.signal) });
  box.addEventListener("change", () => {
    const others = state.view.signals.filter((s) => s !== group.signal);
    state.set({ signals: box.checked ? [...others, group.signal] : others });
  });
  const short = group.signal === element ? group.signal : group.signal.slice(element.length + 1);
  return el("li", {}, el("label", {}, box, el("span", {}, short), el("span", { class: "unit" }, group.unit)));
}

/** A filter and a tree of check boxes. @param {State} state @param {Group[]} groups */
export function signalTree(state, groups) {
  const tree = el("div", { class: "tree", role: "group", "aria-label": "Signals" });
  const told = el("p", { class: "hint", role: "status" });

  const fill = (/** @type {string} */ words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = groups.filter((g) => wanted.every((w) => g.signal.toLowerCase().includes(w)));
    const listed = fits.slice(0, MOST_LISTED);
    told.textContent = fits.length > listed.length
      ? `${fits.length} signals, the first ${listed.length} are listed: filter for others`
      : wanted.length ? `${fits.length} of ${groups.length} signals` : "";
    tree.replaceChildren(...[...byElement(listed)].map(([element, members]) =>
      el("details", { open: wanted.length > 0 || listed.length <= MOST_OPEN },
        el("summary", {}, el("span", {}, element), el("span", { class: "count" }, String(members.length))),
        el("ul", {}, ...members.map((g) => signalBox(state, g, element))))));
  };

  const filter = el("input", { type: "search", placeholder: "Filter, e.g. top force", "aria-label": "Filter signals", spellcheck: "false" });
  filter.addEventListener("input", () => fill(filter.value));
  fill("");
  state.on(["signals"], (view) => {
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (tree.querySelectorAll("input")))
      box.checked = view.signals.includes(box.dataset.signal ?? "");
  });
  state.on(["selected"], (view) => {
    if (!view.selected) return;
    filter.value = view.selected;
    fill(view.selected);
  });
  return el("div", { class: "picker-body" }, filter, told, tree);
}
