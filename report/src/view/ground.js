// SPDX-License-Identifier: GPL-3.0-or-later
import { BufferGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, ShadowMaterial } from "three";
import { niceNear } from "../data/numbers.js";
import { isDark } from "../ui/theme.js";
import { styleColour } from "./colours.js";

const LINES = 48;
/** Lines end in nothing at the rim: this power of the distance. */
const FADE = 1.6;

/** Lines of a square grid in pieces that fade with the distance, every fourth apart. @param {number} cell @param {boolean} strong */
function grid(cell, strong) {
  /** @type {number[]} */ const points = [];
  /** @type {number[]} */ const colours = [];
  const half = LINES / 2;
  const put = (/** @type {number} */ i, /** @type {number} */ j) => {
    points.push(i * cell, j * cell, 0);
    colours.push(1, 1, 1, Math.max(0, 1 - Math.hypot(i, j) / half) ** FADE);
  };
  for (let i = -half; i <= half; ++i) {
    if ((i % 4 === 0) !== strong) continue;
    for (let j = -half; j < half; ++j) {
      if (Math.hypot(i, j + 0.5) > half) continue;
      put(i, j);
      put(i, j + 1);
      put(j, i);
      put(j + 1, i);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new Float32BufferAttribute(colours, 4));
  return geometry;
}

/** A grid below the scene that takes its shadows; lies in the x-y plane of the group. @param {number} radius of the scene */
export function makeGround(radius) {
  const cell = niceNear(radius / 4);
  const group = new Group();
  const weak = new LineBasicMaterial({ transparent: true, vertexColors: true, depthWrite: false });
  const strong = weak.clone();
  const shadow = new ShadowMaterial({ opacity: 0.16, depthWrite: false });
  const plane = new Mesh(new PlaneGeometry(LINES * cell, LINES * cell), shadow);
  plane.receiveShadow = true;
  plane.renderOrder = -2;
  for (const lines of [new LineSegments(grid(cell, false), weak), new LineSegments(grid(cell, true), strong)]) {
    lines.renderOrder = -1;
    group.add(lines);
  }
  group.add(plane);
  const paint = () => {
    weak.color = styleColour("floor");
    strong.color = styleColour("floor-strong");
    shadow.opacity = isDark() ? 0.4 : 0.16;
  };
  paint();
  return { group, paint, cell };
}
