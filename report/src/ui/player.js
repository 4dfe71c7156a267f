// SPDX-License-Identifier: GPL-3.0-or-later
import { format, niceNear } from "../data/numbers.js";
import { choice, el, icon, iconButton } from "./dom.js";

/** @typedef {import("../state.js").State} State */

/** The range input counts in these. */
const TICKS = 10000;
/** Real seconds that a whole animation likes to take. */
const PLEASANT = 8;
/** The live region tells the time this long after the last change, ms. */
const QUIET = 400;

/** Simulated seconds per second at the start. @param {number} duration */
export function usualSpeed(duration) {
  if (duration >= 2 && duration <= 30) return 1;
  return duration > 0 ? niceNear(duration / PLEASANT) : 1;
}

/** @param {number} usual @returns {[string, string][]} */
function speeds(usual) {
  const all = new Set([1, usual, ...[0.1, 0.25, 0.5, 2, 4, 10].map((f) => Number((usual * f).toPrecision(3)))]);
  return [...all].sort((a, b) => a - b).map((s) => [String(s), `${format(s, 3)}×`]);
}

/** Play, scrub, speed. @param {State} state @param {[number, number]} range @param {(t: number) => string} tell */
export function player(state, range, tell) {
  const [start, end] = range;
  const play = el("button", { type: "button", class: "play-button" });
  const slider = el("input", { type: "range", min: "0", max: String(TICKS), step: "1", class: "scrub", "aria-label": "Time" });
  const clock = el("output", { class: "clock" });
  const live = el("div", { class: "sr-only", role: "status", "aria-live": "polite" });
  const jump = (/** @type {number} */ t) => state.set({ time: Math.min(end, Math.max(start, t)), playing: false });
  const step = (end - start) / 100;

  play.addEventListener("click", () => togglePlay(state, range));
  slider.addEventListener("input", () => jump(start + (end - start) * Number(slider.value) / TICKS));
  state.on(["playing"], (view) => {
    play.replaceChildren(icon(view.playing ? "pause" : "play"));
    play.setAttribute("aria-label", view.playing ? "Pause" : "Play");
    play.title = `${view.playing ? "Pause" : "Play"} (space)`;
  });
  /** @type {number} */ let waiting = 0;
  state.on(["time", "playing"], (view) => {
    slider.value = String(end > start ? Math.round((view.time - start) / (end - start) * TICKS) : 0);
    const told = tell(view.time);
    clock.textContent = told;
    slider.setAttribute("aria-valuetext", told);
    clearTimeout(waiting);
    if (!view.playing) waiting = window.setTimeout(() => { live.textContent = told; }, QUIET);
  });
  const loop = iconButton("loop", "Repeat", () => state.set({ loop: !state.view.loop }));
  state.on(["loop"], (view) => loop.setAttribute("aria-pressed", String(view.loop)));

  return el("div", { class: "player", role: "group", "aria-label": "Animation" },
    iconButton("start", "To the start (home)", () => jump(start)),
    play,
    iconButton("end", "To the end (end)", () => jump(end)),
    el("span", { class: "wide-only" },
      iconButton("back", "Back (left arrow)", () => jump(state.view.time - step)),
      iconButton("forward", "Forward (right arrow)", () => jump(state.view.time + step))),
    slider, clock, loop,
    choice("Speed", speeds(state.view.speed), String(state.view.speed), (v) => state.set({ speed: Number(v) })),
    live);
}

/** @param {State} state @param {[number, number]} range */
export function togglePlay(state, range) {
  const atEnd = state.view.time >= range[1];
  state.set({ playing: !state.view.playing, time: !state.view.playing && atEnd ? range[0] : state.view.time });
}

/** Let the time run. @param {State} state @param {[number, number]} range */
export function runClock(state, range) {
  let last = 0;
  const tick = (/** @type {number} */ now) => {
    if (!state.view.playing) return;
    const t = state.view.time + (last ? (now - last) / 1000 : 0) * state.view.speed;
    last = now;
    if (t < range[1]) state.set({ time: t });
    else state.set(state.view.loop ? { time: range[0] } : { time: range[1], playing: false });
    requestAnimationFrame(tick);
  };
  state.on(["playing"], (view) => {
    last = 0;
    if (view.playing) requestAnimationFrame(tick);
  });
}

/** Keys for the whole page, where no control needs them. @param {State} state @param {[number, number]} range */
export function listenToKeys(state, range) {
  const [start, end] = range;
  const go = (/** @type {number} */ t) => state.set({ time: Math.min(end, Math.max(start, t)), playing: false });
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input:not([type=range]), select, textarea, [contenteditable], dialog")) return;
    if (event.key === " " && target.closest("button, summary, a")) return;
    const part = (end - start) * (event.shiftKey ? 0.1 : 0.01);
    /** @type {Record<string, () => void>} */
    const acts = {
      " ": () => togglePlay(state, range),
      ArrowLeft: () => go(state.view.time - part),
      ArrowRight: () => go(state.view.time + part),
      Home: () => go(start),
      End: () => go(end),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
