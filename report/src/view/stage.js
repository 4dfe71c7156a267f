// SPDX-License-Identifier: GPL-3.0-or-later
import {
  ACESFilmicToneMapping, DirectionalLight, Group, HemisphereLight, PCFShadowMap, PerspectiveCamera, Quaternion, Scene,
  Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { sphereOf } from "../data/box.js";
import { onTheme } from "../ui/theme.js";
import { styleColour } from "./colours.js";
import { makeGround } from "./ground.js";

const SHADOW_SIZE = 2048;
/** Shadows go where a frame takes longer, ms. */
const SLOW = 60;

/** A canvas with camera, light and ground; draws when something has changed. */
export class Stage {
  /** @param {HTMLCanvasElement} canvas @param {import("../data/box.js").Box} box of everything @param {number[]} up */
  constructor(canvas, box, up) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.content = new Group();
    this.scene.add(this.content);
    const { centre, radius } = sphereOf(box);
    this.centre = new Vector3(...centre);
    this.radius = radius;
    this.up = new Vector3(...up);
    this.camera = new PerspectiveCamera(32, 1, radius / 200, radius * 200);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.followed = new Vector3();
    this.slowFrames = 0;
    /** @type {number} */ this.asked = 0;
    /** @type {(() => void)[]} */ this.beforeDraw = [];
    this.addLight();
    this.addGround(box);
    this.home();
    this.paint();
    onTheme(() => this.paint());
    new ResizeObserver(() => this.resize()).observe(/** @type {Element} */ (canvas.parentElement));
    this.resize();
  }

  addLight() {
    this.sky = new HemisphereLight(0xffffff, 0xb8c0cc, 2.1);
    this.sky.position.copy(this.up);
    this.sun = new DirectionalLight(0xffffff, 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_SIZE, SHADOW_SIZE);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = this.radius * 0.004;
    this.sun.shadow.radius = 3;
    const camera = this.sun.shadow.camera;
    const reach = this.radius * 1.6;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * this.radius, far: 12 * this.radius });
    this.sun.position.copy(this.centre).addScaledVector(this.aside(0.5, 0.35, 1), 5 * this.radius);
    this.sun.target.position.copy(this.centre);
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  /** A direction with parts to the front, the right and up. @param {number} front @param {number} right @param {number} up */
  aside(front, right, up) {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    return new Vector3(front, right, up).normalize().applyQuaternion(turn);
  }

  /** @param {import("../data/box.js").Box} box */
  addGround(box) {
    this.ground = makeGround(this.radius);
    this.ground.group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
      new Vector3(...[0, 1, 2].map((k) => (i >> k & 1 ? box.high[k] : box.low[k]))).dot(this.up));
    const lowest = Math.min(...corners) - 0.04 * this.radius;
    const height = this.centre.dot(this.up);
    this.ground.group.position.copy(this.centre).addScaledVector(this.up, lowest - height);
    this.scene.add(this.ground.group);
  }

  /** Look at all of it. */
  home() {
    const wide = Math.min(1, this.camera.aspect || 1);
    const distance = 1.12 * this.radius / Math.sin(this.camera.fov / 2 * Math.PI / 180) / wide;
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(this.aside(0.86, -0.62, 0.48), distance);
    this.controls.update();
    this.followed.set(NaN, NaN, NaN);
    this.invalidate();
  }

  /** Move the camera as a followed point moves. @param {number} x @param {number} y @param {number} z */
  follow(x, y, z) {
    const point = new Vector3(x, y, z);
    const move = Number.isNaN(this.followed.x) ? point.clone().sub(this.controls.target) : point.clone().sub(this.followed);
    this.followed.copy(point);
    this.camera.position.add(move);
    this.controls.target.add(move);
    this.controls.update();
  }

  release() {
    this.followed.set(NaN, NaN, NaN);
  }

  paint() {
    this.scene.background = styleColour("sky");
    this.ground?.paint();
    this.invalidate();
  }

  resize() {
    const parent = /** @type {HTMLElement} */ (this.canvas.parentElement);
    const width = Math.max(parent.clientWidth, 1);
    const height = Math.max(parent.clientHeight, 1);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    const first = this.camera.aspect === 1;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) this.home();
    this.draw();
  }

  /** Draw soon. */
  invalidate() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    const start = performance.now();
    for (const act of this.beforeDraw) act();
    this.renderer.render(this.scene, this.camera);
    this.frameTime = performance.now() - start;
    this.slowFrames = this.frameTime > SLOW ? this.slowFrames + 1 : 0;
    if (this.slowFrames > 2 && this.sun?.castShadow) this.sun.castShadow = false;
  }
}
