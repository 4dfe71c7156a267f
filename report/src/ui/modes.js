// SPDX-License-Identifier: GPL-3.0-or-later
import { modesOf } from "../data/modes.js";
import { format } from "../data/numbers.js";
import { el } from "./dom.js";

/** @typedef {import("../data/results.js").Result} Result @typedef {import("../state.js").State} State */

/** @param {import("../data/modes.js").Mode} mode */
function kindOf(mode) {
  if (mode.kind === "rigid") return "rigid motion";
  return mode.unstable ? "unstable" : mode.kind === "real" ? "decays" : "oscillation";
}

/** @param {State} state @param {import("../data/modes.js").Mode} mode */
function row(state, mode) {
  const button = el("button", { type: "button", class: "quiet mode-button", click: () => state.set({ mode: mode.index }) }, `Mode ${mode.index}`);
  state.on(["mode"], (view) => button.setAttribute("aria-pressed", String(view.mode === mode.index)));
  return el("tr", {}, el("th", { scope: "row" }, button), el("td", {}, kindOf(mode)),
    el("td", {}, `${format(mode.frequency, 6)} Hz`), el("td", {}, format(mode.damping, 4)),
    el("td", {}, `${format(mode.re, 4)} ${mode.im < 0 ? "−" : "+"} ${format(Math.abs(mode.im), 6)} i`));
}

/** Frequencies, a button for each to see it. @param {State} state @param {Result[]} results */
export function modesSection(state, results) {
  const withModes = results.filter((r) => modesOf(r).length);
  if (!withModes.length) return null;
  const amplitude = el("input", { type: "range", min: "0", max: "3", step: "0.05", value: "1", "aria-label": "Amplitude" });
  amplitude.addEventListener("input", () => state.set({ amplitude: Number(amplitude.value) }));
  return el("section", { class: "modes", id: "modes", "aria-labelledby": "modes-title" },
    el("div", { class: "section-head" }, el("h2", { id: "modes-title" }, "Modes"), el("span", { class: "grow" }),
      el("label", { class: "toggle" }, el("span", {}, "Amplitude"), amplitude)),
    ...withModes.map((result) => el("div", { class: "panel mode-table" }, withModes.length > 1 && el("h3", {}, result.label),
      el("div", { class: "plot-table tall", tabindex: "0", role: "region", "aria-label": `Modes of ${result.label}` }, el("table", {},
        el("thead", {}, el("tr", {}, ...["", "", "frequency", "damping ratio", "eigenvalue (1/s)"].map((t) => t ? el("th", { scope: "col" }, t) : el("td")))),
        el("tbody", {}, ...modesOf(result).map((m) => row(state, m))))))));
}
