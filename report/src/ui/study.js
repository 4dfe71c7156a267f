// SPDX-License-Identifier: GPL-3.0-or-later
import { format } from "../data/numbers.js";
import { commandOf, filterOf, messageOf } from "../data/study.js";
import { el } from "./dom.js";
import { studyPlots } from "./study_plot.js";

/** @typedef {import("../data/study.js").Study} Study @typedef {import("../data/study.js").Sample} Sample @typedef {import("../state.js").State} State */

/** Rows of the table that are drawn at once. */
const PAGE = 100;
const COUNTS = ["ok", "nan", "failed", "timeout", "crashed", "missing"];

/** @param {string} status */
const kindOf = (status) => (status === "ok" ? "good" : status === "missing" ? "" : status === "nan" ? "warn" : "bad");

/** How many samples there are of each status. @param {Study} study */
function chips(study) {
  return COUNTS.filter((status) => study.samples.some((s) => s.status === status)).map((status) =>
    el("span", { class: `chip ${kindOf(status)}` }, `${study.samples.filter((s) => s.status === status).length} ${status}`));
}

/** The sample that is chosen: its values, why it failed, how it is repeated, and its motion. @param {Study} study @param {State} state */
function detail(study, state) {
  const card = el("article", { class: "card study-sample", "aria-live": "polite" });
  state.on(["sample"], ({ sample: number }) => {
    const sample = study.samples.find((s) => s.sample === number);
    card.hidden = !sample;
    if (!sample) return;
    const message = messageOf(study, number);
    const figures = study.columns.map((c) => el("div", {}, el("dt", {}, c.name), el("dd", {}, `${format(sample.values[c.place], 7)}${c.unit && ` ${c.unit}`}`)));
    const kept = study.results.has(number);
    card.replaceChildren(
      el("header", { class: "card-head" }, el("h3", {}, `Sample ${number}`), el("span", { class: "grow" }), el("span", { class: `chip ${kindOf(sample.status)}` }, sample.status)),
      el("dl", { class: "figures" }, ...figures),
      ...(message ? [el("p", { class: "notice bad" }, message)] : []),
      el("p", { class: "hint" }, kept ? "Its motion is in the view below." : "Its results are not on this page: they are kept by"),
      ...(kept ? [] : [el("pre", { class: "command" }, `torsor sweep STUDY.json -o DIR --resume --keep ${number}`)]),
      el("p", { class: "hint" }, "Alone it is run by"), el("pre", { class: "command", tabindex: "0" }, commandOf(study, sample)));
  });
  return card;
}

/** The order of rows: a column, or the number (-1) or status (-2). @param {Sample} s @param {number} place */
function keyOf(s, place) {
  return place === -1 ? s.sample : place === -2 ? s.status : s.values[place];
}

/** @param {Sample[]} samples @param {number} place @param {boolean} falling */
function sorted(samples, place, falling) {
  const sign = falling ? -1 : 1;
  return [...samples].sort((a, b) => {
    const [x, y] = [keyOf(a, place), keyOf(b, place)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a.sample - b.sample;
    return x < y ? -sign : x > y ? sign : a.sample - b.sample;
  });
}

/** All samples, sorted by a press on a heading, filtered by words. @param {Study} study @param {State} state */
function sampleTable(study, state) {
  let [place, falling, shown] = [-1, false, PAGE];
  const body = el("tbody");
  const count = el("span", { class: "hint", role: "status" });
  const more = el("button", { type: "button", class: "quiet", click: () => { shown += PAGE; fill(); } }, "More rows");
  const words = el("input", { type: "search", placeholder: "T>5 failed", "aria-label": "Filter samples: a status, a number of a sample, or columns with < > <= >= =" });
  const headings = [["sample", -1, ""], ["status", -2, ""], ...study.columns.map((c) => [c.name, c.place, c.unit])].map(([name, at, unit]) => {
    const button = el("button", { type: "button", class: "quiet sort", click: () => {
      falling = place === at && !falling;
      place = Number(at);
      fill();
    } }, String(name), unit ? el("span", { class: "panel-unit" }, ` ${unit}`) : null);
    return { at, head: el("th", { scope: "col" }, button) };
  });
  const row = (/** @type {Sample} */ s) => {
    const button = el("button", { type: "button", class: "quiet", click: () => state.set({ sample: s.sample }) }, String(s.sample));
    return el("tr", { "data-sample": String(s.sample), "aria-selected": String(s.sample === state.view.sample) },
      el("th", { scope: "row" }, button, study.results.has(s.sample) ? el("span", { class: "chip" }, "3D") : null),
      el("td", {}, s.status), ...study.columns.map((c) => el("td", {}, format(s.values[c.place], 6))));
  };
  const fill = () => {
    const test = filterOf(words.value, study.columns);
    words.setAttribute("aria-invalid", String(typeof test === "string"));
    if (typeof test === "string") {
      count.textContent = test;
      return;
    }
    const found = sorted(study.samples.filter(test), place, falling);
    body.replaceChildren(...found.slice(0, shown).map(row));
    for (const { at, head } of headings) head.setAttribute("aria-sort", at !== place ? "none" : falling ? "descending" : "ascending");
    more.hidden = found.length <= shown;
    count.textContent = found.length === study.samples.length ? `${found.length} samples` : `${found.length} of ${study.samples.length} samples`;
  };
  words.addEventListener("input", () => { shown = PAGE; fill(); });
  fill();
  state.on(["sample"], (view) => {
    for (const line of body.children) line.setAttribute("aria-selected", String(Number(/** @type {HTMLElement} */ (line).dataset.sample) === view.sample));
  });
  return el("div", { class: "panel study-table" },
    el("div", { class: "panel-head" }, el("h3", {}, "Samples"), count, el("span", { class: "grow" }), words),
    el("div", { class: "plot-table tall", tabindex: "0", role: "region", "aria-label": "Table of samples" },
      el("table", {}, el("thead", {}, el("tr", {}, ...headings.map((h) => h.head))), body)), more);
}

/** A number with its standard error. @param {any} value @param {any} error */
const withError = (value, error) => `${format(value, 4)}${typeof error === "number" ? ` ± ${format(error, 2)}` : ""}`;

/** Indices or effects of each value on an output. @param {Study} study @param {string} name @param {any} output */
function indices(study, name, output) {
  const varied = study.columns.filter((c) => c.varied);
  const sobol = Array.isArray(output.first_order);
  const columns = sobol ? [["first order", "first_order"], ["total", "total"]] : [["mu*", "mu_star"], ["mu", "mu"], ["sigma", "sigma"]];
  if (!Array.isArray(output[columns[0][1]])) return null;
  const most = Math.max(...output[columns[0][1]].map((/** @type {number} */ x) => Math.abs(x)), ...(sobol ? output.total : []));
  return el("table", { class: "indices" }, el("caption", {}, sobol ? `Sobol' indices of ${name}` : `Elementary effects on ${name}`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "value"), ...columns.map(([title]) => el("th", { scope: "col" }, title)), el("th", { scope: "col" }, sobol ? "total" : "mu*"))),
    el("tbody", {}, ...varied.map((c, i) => el("tr", {}, el("th", { scope: "row" }, c.name),
      ...columns.map(([, key]) => el("td", {}, withError(output[key][i], output[`${key}_error`]?.[i]))),
      el("td", {}, el("meter", { min: "0", max: String(most || 1), value: String(Math.max(0, output[sobol ? "total" : "mu_star"][i])), "aria-label": `${c.name} on ${name}` }))))));
}

/** Mean, scatter and quantiles of each output, and indices where the design has them. @param {Study} study */
function statistics(study) {
  const outputs = Object.entries(study.summary?.outputs ?? {}).filter(([, o]) => o.count);
  if (!outputs.length) return null;
  const unit = (/** @type {string} */ name) => study.columns.find((c) => c.name === name)?.unit ?? "";
  const titles = ["", "samples", "mean", "sd", "min", "5 %", "50 %", "95 %", "max", "unit"];
  return el("div", { class: "panel study-statistics" }, el("h3", {}, "Outputs"),
    el("div", { class: "plot-table", tabindex: "0", role: "region", "aria-label": "Statistics of the outputs" }, el("table", {},
      el("thead", {}, el("tr", {}, ...titles.map((t) => (t ? el("th", { scope: "col" }, t) : el("td"))))),
      el("tbody", {}, ...outputs.map(([name, o]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, String(o.count)),
        ...[o.mean, o.sd, o.min, o.quantiles?.[0], o.quantiles?.[2], o.quantiles?.[4], o.max].map((x) => el("td", {}, format(x, 5))), el("td", {}, unit(name))))))),
    ...outputs.map(([name, o]) => indices(study, name, o)).filter((part) => part !== null));
}

/** @param {Study} study @param {State} state */
export function studySection(study, state) {
  return el("section", { class: "study", id: "study", "aria-labelledby": "study-title" },
    el("div", { class: "section-head" }, el("h2", { id: "study-title" }, "Study"), ...chips(study),
      el("span", { class: "hint grow" }, `${study.definition?.design?.kind ?? "grid"} over ${study.columns.filter((c) => c.varied).map((c) => c.name).join(", ")}`)),
    studyPlots(study, state), detail(study, state), sampleTable(study, state), statistics(study),
    study.leftOut > 0 ? el("p", { class: "hint notice-line" }, `${study.leftOut} more kept samples have no room on this page.`) : null);
}
