// SPDX-License-Identifier: GPL-3.0-or-later
/** The 3D view with its switches. */
import { Raycaster, Vector2 } from "three";
import { addToBox, emptyBox, sphereOf } from "../data/box.js";
import { modeMotion, modesOf } from "../data/modes.js";
import { recordedMotion, signalledMotion } from "../data/motion.js";
import { Figure } from "../view/figure.js";
import { Stage } from "../view/stage.js";
import { choice, el, iconButton, toggle } from "./dom.js";
import { onTheme } from "./theme.js";

/** @typedef {import("../data/results.js").Result} Result @typedef {import("../state.js").State} State @typedef {import("../data/decode.js").Store} Store */

/** Press and release closer than this are a click, pixels. */
const STILL = 4;

/** What can be shown of the results. @param {State} state @param {Result[]} results @param {Store} store */
export function makeFigures(state, results, store) {
  const own = results.filter((r) => !r.reference);
  const several = own.length > 1;
  /** @type {Figure[]} */ const figures = [];
  for (const result of own) {
    const head = result.motion;
    const modes = modesOf(result);
    const motion = head ? (head.position !== undefined ? recordedMotion(store, head) : null) : signalledMotion(result);
    if (motion) figures.push(new Figure(result, motion, store, several, head?.geometry ?? null));
    else if (modes.length) {
      const shown = modes.find((m) => m.kind !== "rigid") ?? modes[0];
      figures.push(modeFigure(state, result, store, several, shown.index, head?.geometry));
    }
  }
  return figures;
}

/** @param {State} state @param {Result} result @param {Store} store @param {boolean} several @param {number} index @param {any} geometry */
export function modeFigure(state, result, store, several, index, geometry) {
  return new Figure(result, modeMotion(result, index, () => state.view.amplitude), store, several, geometry ?? null);
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
    toggle("Trails", state.view.trails, (on) => state.set({ trails: on })),
    toggle("Frames", state.view.frames, (on) => state.set({ frames: on })),
    some((f) => f.geometry.joints.length > 0) && toggle("Joints", state.view.joints, (on) => state.set({ joints: on })),
    some((f) => f.hasForces) && toggle("Forces", state.view.forces, (on) => state.set({ forces: on })),
    some((f) => f.hasMoments) && toggle("Moments", state.view.moments, (on) => state.set({ moments: on })),
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
 * @param {State} state @param {Figure[]} figures @param {(t: number) => number} clock time of the page to that of the figures
 * @param {HTMLElement} player
 */
export function stageSection(state, figures, clock, player) {
  const canvas = el("canvas", { class: "stage-canvas", tabindex: "0", role: "img",
    "aria-label": "3D view of the bodies. Drag to turn, with the right button to move, wheel to zoom; press a body for its name." });
  const tag = el("div", { class: "stage-tag", role: "status", hidden: true });
  const frame = el("div", { class: "stage-frame" }, canvas, tag);
  const section = el("section", { class: "stage", id: "stage", "aria-label": "Animation" });
  const box = wholeBox(figures);
  const up = figures[0].geometry.up;
  const { radius } = sphereOf(box);
  for (const figure of figures) figure.build(radius);
  const stage = new Stage(canvas, box, up);
  for (const figure of figures) stage.content.add(figure.group);
  frame.append(el("div", { class: "stage-corner" }, iconButton("target", "See all", () => {
    state.set({ follow: "" });
    stage.home();
  })));
  section.append(frame, player, switches(state, figures));

  stage.beforeDraw.push(() => {
    for (const figure of figures) figure.show(state.view, clock(state.view.time));
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

/** @param {State} state @param {Figure[]} figures @param {Stage} stage @param {Store} store */
export function switchModes(state, figures, stage, store) {
  let shown = state.view.mode;
  state.on(["mode"], (view) => {
    if (view.mode === shown || !view.mode) return;
    shown = view.mode;
    figures.forEach((figure, i) => {
      if (!modesOf(figure.result).some((m) => m.index === view.mode)) return;
      const next = modeFigure(state, figure.result, store, figure.several, view.mode, figure.result.motion?.geometry);
      next.build(stage.radius);
      stage.content.remove(figure.group);
      stage.content.add(next.group);
      figures[i] = next;
    });
    stage.invalidate();
  });
}
