// SPDX-License-Identifier: GPL-3.0-or-later
import { el } from "./dom.js";

/** @typedef {import("../data/results.js").Result} Result @typedef {import("../state.js").State} State */

/** Which of several results are shown. @param {State} state @param {Result[]} results */
export function overlayLegend(state, results) {
  if (results.length < 2) return null;
  return el("div", { class: "overlay", role: "group", "aria-label": "Results shown" }, ...results.map((result) => {
    const box = el("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      const others = state.view.hidden.filter((i) => i !== result.index);
      state.set({ hidden: box.checked ? others : [...others, result.index] });
    });
    state.on(["hidden"], (view) => { box.checked = !view.hidden.includes(result.index); });
    return el("label", { class: "toggle" }, box,
      el("span", { class: `swatch ${result.reference ? "points" : ""} curve-${result.index % 8}`, "aria-hidden": "true" }), el("span", {}, result.label));
  }));
}
