// SPDX-License-Identifier: GPL-3.0-or-later
import { format } from "../data/numbers.js";
import { el } from "./dom.js";

/** @typedef {import("../data/results.js").Result} Result */

/** @param {any} s summary.json @returns {[string, string][]} */
function figures(s) {
  const number = (/** @type {any} */ x, unit = "") => (typeof x === "number" ? `${format(x, 4)}${unit && ` ${unit}`}` : "–");
  const perStep = s.steps > 0 ? ` (${format(s.newton_iterations / s.steps, 3)} per step)` : "";
  /** @type {[string, any][]} */
  const all = [
    ["Time reached", s.t !== undefined && number(s.t, "s")],
    ["Load reached", s.load !== undefined && number(s.load)],
    ["About", s.about],
    ["Method", [s.method, s.settings?.formulation].filter(Boolean).join(", ")],
    ["Step", s.settings?.step > 0 && stepText(s)],
    ["Steps", s.steps !== undefined && `${s.steps}${s.rejected_steps ? `, ${s.rejected_steps} rejected` : ""}`],
    ["Newton iterations", s.newton_iterations !== undefined && `${s.newton_iterations}${perStep}`],
    ["CPU time", s.cpu_seconds !== undefined && number(s.cpu_seconds, "s")],
    ["max |φ|", s.max_phi !== undefined && number(s.max_phi)],
    ["Energy, first to last", s.energy && `${number(s.energy.initial, "J")} → ${number(s.energy.final, "J")}`],
    ["Largest change of the energy", s.energy?.max_drift !== undefined && number(s.energy.max_drift, "J")],
    ["Error of the energy balance", typeof s.energy?.max_balance === "number" && number(s.energy.max_balance, "J")],
    ["Version", s.version],
    ["Scene hash", s.scene_hash],
  ];
  return /** @type {[string, string][]} */ (all.filter(([, value]) => value));
}

/** @param {any} s */
function stepText(s) {
  if (s.smallest_step < 0.999 * s.largest_step) return `${format(s.smallest_step, 3)} to ${format(s.largest_step, 3)} s`;
  return `${format(s.settings.step, 4)} s`;
}

/** "done" and its kin. @param {any} s */
export function statusChip(s) {
  if (!s) return el("span", { class: "chip" }, "no summary");
  const good = s.status === "OK";
  const stopped = s.status === "INTERRUPTED";
  const words = good ? (s.message && s.message !== "success" ? s.message : "done") : s.message || s.status;
  return el("span", { class: `chip ${good ? "good" : stopped ? "warn" : "bad"}`, title: words }, words);
}

/** @param {Result} result */
function events(result) {
  const list = result.summary?.events ?? [];
  if (!list.length) return null;
  return el("details", { open: list.length < 12 }, el("summary", {}, `Events (${list.length})`),
    el("ul", { class: "event-list" }, ...list.map((/** @type {any} */ e) =>
      el("li", {}, el("strong", {}, e.name), ` at t = ${format(e.t, 6)} s, ${e.direction}`))));
}

/** @param {string[]} lines @param {string} title */
function warnings(lines, title) {
  if (!lines.length) return null;
  return el("div", { class: "notice warn" }, el("strong", {}, title), el("ul", {}, ...lines.map((line) => el("li", {}, line))));
}

/** @param {Result} result @param {boolean} several */
function card(result, several) {
  const s = result.summary;
  return el("article", { class: "card" },
    el("header", { class: "card-head" }, several && el("span", { class: `swatch curve-${result.index % 8}`, "aria-hidden": "true" }),
      el("h3", {}, result.label), el("span", { class: "grow" }), result.reference ? el("span", { class: "chip" }, "reference") : statusChip(s)),
    s?.title && el("p", { class: "card-title" }, s.title),
    s && el("dl", { class: "figures" }, ...figures(s).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    warnings(s?.warnings ?? [], "Warnings"), events(result),
    result.every > 1 && el("p", { class: "hint" }, `Plots show one of every ${result.every} rows of the trajectory.`),
    ...result.notices.map((n) => el("p", { class: "hint" }, n)));
}

/** @param {Result[]} results */
export function summarySection(results) {
  return el("section", { class: "summary", id: "summary", "aria-labelledby": "summary-title" },
    el("div", { class: "section-head" }, el("h2", { id: "summary-title" }, "Summary")),
    el("div", { class: "cards" }, ...results.map((r) => card(r, results.length > 1))));
}
