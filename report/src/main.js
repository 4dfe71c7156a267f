// SPDX-License-Identifier: GPL-3.0-or-later
import { readPage } from "./data/decode.js";
import { modesOf } from "./data/modes.js";
import { openResults, groupSignals, tellTime, timeRange } from "./data/results.js";
import { openStudy } from "./data/study.js";
import { State } from "./state.js";
import { convergenceSection } from "./ui/convergence.js";
import { el } from "./ui/dom.js";
import { licencesDialog } from "./ui/licences.js";
import { modesSection } from "./ui/modes.js";
import { overlayLegend } from "./ui/overlay.js";
import { listenToKeys, player, runClock, usualSpeed } from "./ui/player.js";
import { plotsSection, usualSignals } from "./ui/plots.js";
import { makeFigures, stageSection, switchModes } from "./ui/stage.js";
import { studySection } from "./ui/study.js";
import { campbellSection } from "./ui/study_plot.js";
import { statusChip, summarySection } from "./ui/summary.js";
import { themeButton } from "./ui/theme.js";

/** @typedef {import("./data/results.js").Result} Result */

/** Periods of a mode per second. */
const MODE_SPEED = 0.5;

/** With more nodes than this trails are not drawn at first. */
const FEW = 100;

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

/** One sample of a study is shown at first, the chosen one if it is kept. @param {State} state @param {import("./data/study.js").Study} study @param {Result[]} results */
function followSample(state, study, results) {
  state.on(["sample"], ({ sample }) => {
    const index = study.results.get(sample);
    if (index !== undefined) state.set({ hidden: results.map((r) => r.index).filter((i) => i !== index) });
  });
}

/** @param {Result[]} results @param {number[]} more @param {import("./data/study.js").Study|null} study @returns {State} */
function startState(results, more, study) {
  const groups = groupSignals(results.filter((r) => !r.reference));
  const modes = results.flatMap(modesOf);
  const onlyModes = modes.length > 0 && results.every((r) => !r.time.length);
  const range = onlyModes ? [0, 1] : timeRange(results, more);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return new State({
    time: range[0], range: [range[0], range[1]], playing: onlyModes && !still, speed: onlyModes ? MODE_SPEED : usualSpeed(range[1] - range[0]),
    loop: true, signals: usualSignals(groups), follow: "", hidden: [], trails: !onlyModes && results.every((r) => (r.motion?.names?.length ?? 0) <= FEW), frames: false, joints: true,
    forces: false, moments: false, arrowScale: 1, mode: (modes.find((m) => m.kind !== "rigid") ?? modes[0])?.index ?? 0,
    amplitude: 1, selected: "", onlyModes, sample: study ? [...study.results.keys()][0] ?? -1 : -1,
  });
}

/** The 3D view where there is something to see and a browser that shows it. @param {State} state @param {Result[]} results @param {import("./data/decode.js").Store} store @param {HTMLElement} bar */
function tryStage(state, results, store, bar) {
  const figures = makeFigures(state, results, store);
  if (!figures.length) return null;
  try {
    const made = stageSection(state, figures, bar);
    switchModes(state, figures, made.stage);
    return { ...made, figures };
  } catch (error) {
    console.warn("no 3D view:", error);
    return null;
  }
}

/** @param {any} made */
function stageNotice(made) {
  if (!made) return el("p", { class: "hint notice-line" }, "No 3D view: it needs the full state of the run (torsor run --full), or positions among the signals, and WebGL.");
  const partly = made.figures.some((/** @type {any} */ f) => f.result.motion?.position === undefined && f.result.time.length > 0);
  return partly ? el("p", { class: "hint notice-line" }, "Drawn from the positions among the signals; torsor run --full keeps the whole motion.") : null;
}

async function start() {
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const store = await readPage(document);
  const results = openResults(store);
  const times = results.flatMap((r) => (r.motion?.time !== undefined ? [...store.numbers(r.motion.time)] : []));
  const study = openStudy(store, results);
  const state = startState(results, times, study);
  if (study) followSample(state, study, results);
  const { range } = state.view;
  const title = store.head.title || study?.definition?.title || (results.length === 1 && results[0].summary?.title) || results.map((r) => r.label).join(", ") || "Study";
  document.title = `${title} – Torsor`;
  document.body.prepend(pageHead(title, results, store.head.version));
  const tell = (/** @type {number} */ t) => (state.view.onlyModes ? `phase ${Math.round(360 * t) % 360}°` : tellTime(t, results[0]));
  const bar = player(state, range, tell);
  const made = tryStage(state, results, store, bar);
  const plots = plotsSection(state, results);
  const modes = modesSection(state, results);
  const stage = el("div", { class: "stage-column" }, made ? made.section : el("div", { class: "floating-player" }, bar), stageNotice(made));
  const side = el("div", { class: "side" }, modes, plots);
  main.replaceChildren(...[
    study ? studySection(study, state) : null,
    campbellSection(results, state),
    overlayLegend(state, results),
    results.length ? el("div", { class: `stage-plots${made ? "" : " no-stage"}` }, stage, side) : null,
    results.length ? summarySection(results) : null,
    convergenceSection(results),
  ].filter((part) => part !== null));
  made?.stage.resize();
  runClock(state, range);
  listenToKeys(state, range);
  /** @type {any} */ (window).torsorReport = { state, results, study, stage: made?.stage };
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  console.error(error);
  document.querySelector("main")?.replaceChildren(el("p", { class: "notice bad", role: "alert" }, `This page cannot be shown: ${error.message}`));
});
