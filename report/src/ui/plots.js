// SPDX-License-Identifier: GPL-3.0-or-later
import { groupSignals } from "../data/results.js";
import { el, icon } from "./dom.js";
import { Panel } from "./panel.js";
import { signalTree } from "./signals.js";
import { onTheme } from "./theme.js";

/** @typedef {import("../data/results.js").Result} Result @typedef {import("../state.js").State} State */

const USUAL_PANELS = 4;

/** The signals to begin with. @param {import("../data/results.js").Group[]} groups */
export function usualSignals(groups) {
  const dull = /quaternion|rotation_vector|acceleration|energy\.(kinetic|potential|elastic|dissipated|supplied)/;
  const first = groups.filter((g) => !dull.test(g.signal) && g.signal !== "energy.total").slice(0, USUAL_PANELS - 1);
  const energy = groups.filter((g) => g.signal === "energy.total");
  const chosen = [...first, ...energy];
  return (chosen.length ? chosen : groups.slice(0, USUAL_PANELS)).map((g) => g.signal);
}

/** Escape, or a press elsewhere, closes it. @param {HTMLDetailsElement} details */
function closeOutside(details) {
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    details.querySelector("summary")?.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (details.open && !details.contains(/** @type {Node} */ (event.target))) details.open = false;
  });
}

/** Plots with the tree to choose from. @param {State} state @param {Result[]} results */
export function plotsSection(state, results) {
  const groups = groupSignals(results.filter((r) => !r.reference));
  const bySignal = new Map(groups.map((g) => [g.signal, g]));
  /** @type {Map<string, Panel>} */
  const panels = new Map();
  const list = el("div", { class: "panels" });
  const empty = el("p", { class: "hint" }, "Choose signals to plot.");
  const shown = () => results.filter((r) => !state.view.hidden.includes(r.index) && r.columns.size);

  const acts = (/** @type {string} */ signal) => ({
    seek: (/** @type {number} */ t) => state.set({ time: t, playing: false }),
    remove: () => state.set({ signals: state.view.signals.filter((s) => s !== signal) }),
    zoom: (/** @type {number} */ low, /** @type {number} */ high) => panels.forEach((p) => p.zoom(low, high)),
  });

  const arrange = () => {
    for (const [signal, panel] of panels)
      if (!state.view.signals.includes(signal)) {
        panel.destroy();
        panels.delete(signal);
      }
    for (const signal of state.view.signals) {
      const group = bySignal.get(signal);
      if (!group || panels.has(signal)) continue;
      const panel = new Panel(group, shown(), acts(signal));
      panel.setTime(state.view.time);
      panels.set(signal, panel);
      list.append(panel.element);
      panel.resize();
    }
    empty.hidden = panels.size > 0;
  };
  const rebuild = () => {
    panels.forEach((p) => p.destroy());
    panels.clear();
    arrange();
  };

  state.on(["signals"], arrange);
  state.on(["hidden"], rebuild);
  state.on(["time"], (view) => panels.forEach((p) => p.setTime(view.time)));
  onTheme(() => panels.forEach((p) => p.draw()));
  new ResizeObserver(() => panels.forEach((p) => p.resize())).observe(list);

  const picker = el("details", { class: "picker" },
    el("summary", {}, icon("zoom"), el("span", {}, "Signals"), el("span", { class: "count" }, String(groups.length))),
    signalTree(state, groups));
  closeOutside(picker);
  const section = el("section", { class: "plots", id: "plots", "aria-labelledby": "plots-title" },
    el("div", { class: "section-head" }, el("h2", { id: "plots-title" }, "Plots"),
      el("span", { class: "hint grow wide-only" }, "Drag: time · shift-drag: zoom · double-click: all"),
      picker),
    list, empty);
  return groups.length ? section : null;
}
