// SPDX-License-Identifier: GPL-3.0-or-later
import {
  DirectionalLight, Group, HemisphereLight, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Quaternion, Scene,
  Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { sphereOf } from "../data/box.js";
import { onTheme } from "../ui/theme.js";
import { makeGround } from "./ground.js";

const SHADOW_SIZE = 2048;
/** Shadows go where a frame takes longer, ms. */
const SLOW = 60;
/** Space around the scene. */
const MARGIN = 1.12;

/** A canvas with camera, light and ground; draws when something has changed. */
export class Stage {
  /** @param {HTMLCanvasElement} canvas @param {import("../data/box.js").Box} box of everything @param {number[]} up
   *  @param {number} reach radius of what is looked at: less than that of the box where things travel far */
  constructor(canvas, box, up, reach) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setClearColor(0, 0);
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.content = new Group();
    this.scene.add(this.content);
    const { centre, radius } = sphereOf(box);
    this.centre = new Vector3(...centre);
    this.radius = Math.min(radius, reach);
    /** @type {Vector3[]} of the box */ this.corners = [];
    this.up = new Vector3(...up);
    this.camera = new PerspectiveCamera(32, 1, this.radius / 200, radius * 200);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.followed = new Vector3();
    this.size = new Vector2(1, 1);
    this.near = false;
    this.floor = 0;
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
    this.sky = new HemisphereLight(0xffffff, 0xb4bcc8, 1.7);
    this.sky.position.copy(this.up);
    this.sun = new DirectionalLight(0xffffff, 1.9);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_SIZE, SHADOW_SIZE);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = this.radius * 0.004;
    this.sun.shadow.radius = 3;
    const camera = this.sun.shadow.camera;
    const reach = this.radius * 1.6;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * this.radius, far: 12 * this.radius });
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
    this.corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(...[0, 1, 2].map((k) => (i >> k & 1 ? box.high[k] : box.low[k]))));
    this.floor = Math.min(...this.corners.map((c) => c.dot(this.up))) - 0.04 * this.radius;
    this.scene.add(this.ground.group);
  }

  /** Ground and light stay with what is looked at; the lines of the ground stay where they are. */
  moveAlong() {
    const { target } = this.controls;
    this.sun?.position.copy(target).addScaledVector(this.aside(0.5, 0.35, 1), 5 * this.radius);
    this.sun?.target.position.copy(target);
    if (!this.ground) return;
    const { group, cell } = this.ground;
    const back = group.quaternion.clone().invert();
    const place = target.clone().applyQuaternion(back);
    const step = 4 * cell; // every fourth line is stronger
    place.set(Math.round(place.x / step) * step, Math.round(place.y / step) * step, this.floor);
    group.position.copy(place.applyQuaternion(group.quaternion));
  }

  /** Look at all of it, as near as the corners of its box allow, or only at a part. @param {boolean} [near] */
  home(near = this.near) {
    const back = this.aside(0.86, -0.62, 0.48);
    const right = new Vector3().crossVectors(this.up, back).normalize();
    const above = new Vector3().crossVectors(back, right);
    const tan = Math.tan(this.camera.fov / 2 * Math.PI / 180);
    let distance = 0;
    const all = near ? [] : this.corners;
    for (const corner of all) {
      const d = corner.clone().sub(this.centre);
      const needed = Math.max(Math.abs(d.dot(right)) / this.camera.aspect, Math.abs(d.dot(above))) / tan;
      distance = Math.max(distance, d.dot(back) + MARGIN * needed);
    }
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(back, near ? 1.2 * this.radius / tan : Math.max(distance, 0.5 * this.radius));
    this.controls.update();
    this.release();
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
    this.ground?.paint();
    this.invalidate();
  }

  resize() {
    const parent = /** @type {HTMLElement} */ (this.canvas.parentElement);
    const width = Math.max(parent.clientWidth, 1);
    const height = Math.max(parent.clientHeight, 1);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.size.set(width, height);
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
    this.moveAlong();
    this.renderer.render(this.scene, this.camera);
    this.frameTime = performance.now() - start;
    this.slowFrames = this.frameTime > SLOW ? this.slowFrames + 1 : 0;
    if (this.slowFrames > 2 && this.sun?.castShadow) this.sun.castShadow = false;
  }
}
