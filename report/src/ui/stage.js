// SPDX-License-Identifier: GPL-3.0-or-later
/** The 3D view with its switches. */
import { Raycaster, Vector2, Vector3 } from "three";
import { addToBox, emptyBox, sphereOf } from "../data/box.js";
import { modeMotion, modesOf } from "../data/modes.js";
import { recordedMotion, signalledMotion } from "../data/motion.js";
import { Figure } from "../view/figure.js";
import { quaternionOf } from "../view/solids.js";
import { Stage } from "../view/stage.js";
import { choice, el, iconButton, toggle } from "./dom.js";
import { onTheme } from "./theme.js";

/** @typedef {import("../data/results.js").Result} Result @typedef {import("../state.js").State} State @typedef {import("../data/decode.js").Store} Store */

/** Press and release closer than this are a click, pixels. */
const STILL = 4;
/** The view is as wide as so many sizes of the scene at its start, unless things stay together. */
const NEAR = 1.5;
/** What travels farther is followed. */
const FAR = 2.5;
/** Cosine of a slope that is level to the eye. */
const LEVEL = 0.999;

/** What can be shown of the results. @param {State} state @param {Result[]} results @param {Store} store */
export function makeFigures(state, results, store) {
  const own = results.filter((r) => !r.reference);
  const several = own.length > 1;
  /** @type {Figure[]} */ const figures = [];
  for (const result of own) {
    const head = result.motion;
    const modes = modesOf(result);
    const motion = head?.position !== undefined ? recordedMotion(store, head) : signalledMotion(result, head?.names);
    if (motion) figures.push(new Figure(result, motion, several, head?.geometry ?? null));
    else if (modes.length) {
      const shown = modes.find((m) => m.kind !== "rigid") ?? modes[0];
      figures.push(modeFigure(state, result, several, shown.index));
    }
  }
  return figures;
}

/** @param {State} state @param {Result} result @param {boolean} several @param {number} index */
function modeFigure(state, result, several, index) {
  return new Figure(result, modeMotion(result, index, () => state.view.amplitude), several, result.motion?.geometry ?? null);
}

/** Where bodies roll or fall on a level ground that does not move: its height, else infinity. @param {Figure[]} figures @param {number[]} up */
function touchedHeight(figures, up) {
  const dot = (/** @type {number[]} */ a) => a[0] * up[0] + a[1] * up[1] + a[2] * up[2];
  const heights = figures.flatMap((f) => f.geometry.links)
    .filter((l) => l.symbol === "contact" && l.axes[0] && l.markers[0]?.node < 0)
    .filter((l) => Math.abs(dot(turned(l.axes[0], l.markers[0].quaternion))) > LEVEL)
    .map((l) => dot(l.markers[0].position));
  return Math.min(Infinity, ...heights);
}

/** @param {number[]} axis @param {number[]} q */
function turned(axis, q) {
  return new Vector3(axis[0], axis[1], axis[2]).applyQuaternion(quaternionOf(q)).toArray();
}

/** @param {Figure[]} figures */
function wholeBox(figures) {
  const box = emptyBox();
  for (const figure of figures) {
    const { low, high } = figure.box();
    addToBox(box, low[0], low[1], low[2]);
    addToBox(box, high[0], high[1], high[2]);
  }
  return box;
}

/** A switch of the view. @param {State} state @param {string} label @param {"trails"|"frames"|"joints"|"forces"|"moments"} key */
function viewSwitch(state, label, key) {
  const made = toggle(label, state.view[key], (on) => state.set({ [key]: on }));
  const box = /** @type {HTMLInputElement} */ (made.querySelector("input"));
  state.on([key], (view) => { box.checked = view[key]; });
  return made;
}

/** @param {State} state @param {Figure[]} figures */
function switches(state, figures) {
  const names = [...new Set(figures.flatMap((f) => f.geometry.bodies.map((b) => b.name)))];
  const follow = choice("Follow", [["", "nothing"], ...names.map((n) => /** @type {[string, string]} */ ([n, n]))], "", (v) => state.set({ follow: v }));
  follow.classList.add("told");
  state.on(["follow"], (view) => {
    /** @type {HTMLSelectElement} */ (follow.querySelector("select")).value = view.follow;
  });
  const some = (/** @type {(f: Figure) => boolean|undefined} */ has) => figures.some(has);
  const scale = el("input", { type: "range", min: "-1", max: "1", step: "0.05", value: "0", "aria-label": "Length of the arrows" });
  scale.addEventListener("input", () => state.set({ arrowScale: 10 ** Number(scale.value) }));
  return el("div", { class: "switches", role: "group", "aria-label": "What is drawn" }, follow,
    viewSwitch(state, "Trails", "trails"),
    viewSwitch(state, "Frames", "frames"),
    some((f) => f.geometry.links.length > 0) && viewSwitch(state, "Joints", "joints"),
    some((f) => f.hasForces) && viewSwitch(state, "Forces", "forces"),
    some((f) => f.hasMoments) && viewSwitch(state, "Moments", "moments"),
    some((f) => f.hasForces || f.hasMoments) && el("label", { class: "toggle" }, el("span", {}, "Arrows"), scale));
}

/** Press on a body: it is named and its signals are listed. @param {State} state @param {Stage} stage @param {HTMLElement} tag */
function listenToPicks(state, stage, tag) {
  const ray = new Raycaster();
  const at = new Vector2();
  let from = [0, 0];
  const hit = (/** @type {PointerEvent} */ e) => {
    const box = stage.canvas.getBoundingClientRect();
    at.set((e.clientX - box.left) / box.width * 2 - 1, 1 - (e.clientY - box.top) / box.height * 2);
    ray.setFromCamera(at, stage.camera);
    const found = ray.intersectObject(stage.content, true).find((h) => h.object.visible && h.object.parent?.visible &&
      (h.object.userData.name || h.instanceId !== undefined));
    return found ? found.object.userData.name ?? found.object.userData.names?.[found.instanceId ?? 0] : undefined;
  };
  stage.canvas.addEventListener("pointerdown", (e) => { from = [e.clientX, e.clientY]; });
  stage.canvas.addEventListener("pointerup", (e) => {
    if (Math.hypot(e.clientX - from[0], e.clientY - from[1]) > STILL) return;
    const name = hit(e);
    tag.hidden = !name;
    tag.textContent = name ?? "";
    state.set({ selected: name ?? "" });
  });
  stage.canvas.addEventListener("dblclick", (e) => {
    const name = hit(/** @type {any} */ (e));
    if (name) state.set({ follow: name });
  });
}

/**
 * @param {State} state @param {Figure[]} figures @param {HTMLElement} player
 */
export function stageSection(state, figures, player) {
  const canvas = el("canvas", { class: "stage-canvas", tabindex: "0", role: "img",
    "aria-label": "3D view of the bodies. Drag to turn, with the right button to move, wheel to zoom; press a body for its name." });
  const tag = el("div", { class: "stage-tag", role: "status", hidden: true });
  const frame = el("div", { class: "stage-frame" }, canvas, tag);
  const section = el("section", { class: "stage", id: "stage", "aria-label": "Animation" });
  const box = wholeBox(figures);
  const up = figures[0].geometry.up;
  const whole = sphereOf(box).radius;
  const reach = Math.min(whole, NEAR * Math.max(...figures.map((f) => f.geometry.scale)));
  for (const figure of figures) figure.build(reach);
  const stage = new Stage(canvas, box, up, reach);
  const touched = touchedHeight(figures, up);
  if (touched < stage.floor + reach) stage.floor = touched;
  if (whole > FAR * reach) {
    state.set({ follow: figures[0].geometry.bodies[0]?.name ?? "" });
    stage.near = true;
  }
  for (const figure of figures) stage.content.add(figure.group);
  frame.append(el("div", { class: "stage-corner" }, iconButton("target", "See all", () => {
    state.set({ follow: "" });
    stage.home(false);
  })));
  section.append(frame, player, switches(state, figures));

  stage.beforeDraw.push(() => {
    for (const figure of figures) figure.trails?.setSize(stage.size);
    for (const figure of figures) figure.show(state.view, state.view.time);
    if (!state.view.follow) return;
    const where = figures.map((f) => f.whereIs(state.view.follow)).find(Boolean);
    if (where) stage.follow(where[0], where[1], where[2]);
  });
  state.on(["follow"], () => {
    stage.release();
    stage.invalidate();
  });
  state.on(["time", "hidden", "trails", "frames", "joints", "forces", "moments", "arrowScale", "amplitude"], () => stage.invalidate());
  onTheme(() => {
    for (const figure of figures) figure.paint();
    stage.invalidate();
  });
  listenToPicks(state, stage, tag);
  return { section, stage };
}

/** @param {State} state @param {Figure[]} figures @param {Stage} stage */
export function switchModes(state, figures, stage) {
  let shown = state.view.mode;
  state.on(["mode"], (view) => {
    if (view.mode === shown || !view.mode) return;
    shown = view.mode;
    figures.forEach((figure, i) => {
      if (!modesOf(figure.result).some((m) => m.index === view.mode)) return;
      const next = modeFigure(state, figure.result, figure.several, view.mode);
      next.build(stage.radius);
      stage.content.remove(figure.group);
      stage.content.add(next.group);
      figures[i] = next;
    });
    stage.invalidate();
  });
}
