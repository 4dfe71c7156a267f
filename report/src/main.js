// SPDX-License-Identifier: GPL-3.0-or-later
import { readPage } from "./data/decode.js";
import { openResults, groupSignals, timeRange } from "./data/results.js";
import { State } from "./state.js";
import { convergenceSection } from "./ui/convergence.js";
import { el } from "./ui/dom.js";
import { licencesDialog } from "./ui/licences.js";
import { overlayLegend } from "./ui/overlay.js";
import { listenToKeys, player, runClock, usualSpeed } from "./ui/player.js";
import { plotsSection, usualSignals } from "./ui/plots.js";
import { statusChip, summarySection } from "./ui/summary.js";
import { themeButton } from "./ui/theme.js";

/** @typedef {import("./data/results.js").Result} Result */

/** @param {string} title @param {Result[]} results @param {string} version */
function pageHead(title, results, version) {
  const licences = licencesDialog();
  return el("header", { class: "page-head" },
    el("span", { class: "brand" }, el("span", { class: "mark", "aria-hidden": "true" }), "Torsor"),
    el("h1", {}, title),
    results.length === 1 && statusChip(results[0].summary),
    el("span", { class: "grow" }),
    el("button", { type: "button", class: "quiet wide-only", click: () => licences.showModal() }, `${version} · licences`),
    themeButton(), licences);
}

/** @param {State} state @param {Result[]} results */
function exposeForTests(state, results) {
  /** @type {any} */ (window).torsorReport = { state, results };
}

async function start() {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const store = await readPage(document);
  const results = openResults(store);
  const groups = groupSignals(results.filter((r) => !r.reference));
  const range = timeRange(results, []);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const state = new State({
    time: range[0], playing: false, speed: usualSpeed(range[1] - range[0]), loop: true, signals: usualSignals(groups),
    follow: "", hidden: [], trails: true, frames: false, joints: true, forces: false, moments: false, arrowScale: 1,
    mode: 0, amplitude: 1, selected: "", source: "motion",
  });
  const title = store.head.title || results.map((r) => r.label).join(", ");
  document.title = `${title} – Torsor`;
  document.body.prepend(pageHead(title, results, store.head.version));
  const bar = player(state, range, results[0]);
  main.replaceChildren(...[
    overlayLegend(state, results),
    el("div", { class: "stage-plots no-stage" }, el("div", { class: "floating-player" }, bar), plotsSection(state, results)),
    summarySection(results),
    convergenceSection(results),
  ].filter((part) => part !== null));
  runClock(state, range);
  listenToKeys(state, range);
  exposeForTests(state, results);
  document.documentElement.dataset.ready = "true";
  void still;
}

start().catch((error) => {
  console.error(error);
  document.querySelector("main")?.replaceChildren(el("p", { class: "notice bad", role: "alert" }, `This page cannot be shown: ${error.message}`));
});
