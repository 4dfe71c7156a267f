// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Beams: their section swept along the nodes.
 *
 * @typedef {{name: string, nodes: number[], outlines: number[][][], holes?: number[][][], framed: boolean, colour: number}} Beam
 *   outlines, holes: closed polygons (y, z), one for all nodes or one for each; not framed: round, straight from node to node
 * @typedef {import("../data/motion.js").Pose} Pose
 * @typedef {{result: number, several: boolean}} Look
 */
import {
  BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, Line, LineBasicMaterial, Mesh, MeshStandardMaterial,
  Quaternion, Vector3,
} from "three";
import { elementColour } from "./colours.js";
import { ringOf } from "./ring.js";
import { nodeQuaternion } from "./solids.js";

/** Pieces that an element is drawn in, and of all of a beam at most. */
const PIECES = 6;
const MOST_RINGS = 1500;

/** Where the rings of a beam are: filled anew for each time. */
class Spine {
  /** @param {Beam} beam */
  constructor(beam) {
    this.beam = beam;
    const elements = beam.nodes.length - 1;
    this.pieces = beam.framed ? Math.max(1, Math.min(PIECES, Math.floor(MOST_RINGS / elements))) : 1;
    this.count = elements * this.pieces + 1;
    this.position = new Float32Array(3 * this.count);
    this.turn = Array.from({ length: this.count }, () => new Quaternion());
  }

  /** @param {Pose} pose */
  place(pose) {
    const a = new Vector3(), b = new Vector3(), ta = new Vector3(), tb = new Vector3(), x = new Vector3();
    const qa = new Quaternion(), qb = new Quaternion();
    const { nodes, framed } = this.beam;
    for (let e = 0; e + 1 < nodes.length; ++e) {
      a.fromArray(pose.position, 3 * nodes[e]);
      b.fromArray(pose.position, 3 * nodes[e + 1]);
      const length = a.distanceTo(b);
      if (framed) {
        ta.set(length, 0, 0).applyQuaternion(nodeQuaternion(qa, pose, nodes[e]));
        tb.set(length, 0, 0).applyQuaternion(nodeQuaternion(qb, pose, nodes[e + 1]));
      } else {
        tb.copy(ta.subVectors(b, a));
        qa.setFromUnitVectors(x.set(1, 0, 0), length > 0 ? tb.clone().normalize() : x);
        qb.copy(qa);
      }
      const last = e + 2 === nodes.length ? this.pieces : this.pieces - 1;
      for (let i = 0; i <= last; ++i) {
        const s = i / this.pieces;
        hermite(x, a, b, ta, tb, s).toArray(this.position, 3 * (e * this.pieces + i));
        this.turn[e * this.pieces + i].slerpQuaternions(qa, qb, s);
      }
    }
  }
}

/** @param {Vector3} out @param {Vector3} a @param {Vector3} b @param {Vector3} ta @param {Vector3} tb @param {number} s */
function hermite(out, a, b, ta, tb, s) {
  const s2 = s * s, s3 = s2 * s;
  return out.set(0, 0, 0).addScaledVector(a, 2 * s3 - 3 * s2 + 1).addScaledVector(ta, s3 - 2 * s2 + s)
    .addScaledVector(b, 3 * s2 - 2 * s3).addScaledVector(tb, s3 - s2);
}

/** A closed polygon swept along a spine. */
class Sweep {
  /** @param {Spine} spine @param {number[][][]} outlines @param {import("three").Material} material */
  constructor(spine, outlines, material) {
    this.spine = spine;
    this.outlines = outlines;
    this.ring = ringOf(outlines[0]);
    const size = 3 * this.ring.length * spine.count;
    const geometry = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(size), 3).setUsage(DynamicDrawUsage);
    this.normal = new BufferAttribute(new Float32Array(size), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setIndex(this.faces());
    this.mesh = new Mesh(geometry, material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.userData.name = spine.beam.name;
  }

  /** The sides, and of those without a hole the ends. */
  faces() {
    const size = this.ring.length;
    const rings = this.spine.count;
    /** @type {number[]} */ const index = [];
    for (let r = 0; r + 1 < rings; ++r)
      for (let e = 0; e < size; e += 2) {
        const a = r * size + e;
        index.push(a, a + 1, a + size, a + 1, a + size + 1, a + size);
      }
    if (this.spine.beam.holes) return index;
    for (const base of [0, (rings - 1) * size])
      for (let e = 2; e + 2 < size; e += 2) index.push(base, base + e, base + e + 2);
    return index;
  }

  place() {
    const { position, turn, count, pieces } = this.spine;
    const changing = this.outlines.length > 1;
    for (let r = 0; r < count; ++r) {
      const e = Math.min(Math.floor(r / pieces), this.outlines.length - 2);
      const from = this.outlines[changing ? e : 0];
      const to = this.outlines[changing ? e + 1 : 0];
      this.setRing(r, position, turn[r], from, to, changing ? r / pieces - e : 0);
    }
    this.position.needsUpdate = this.normal.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
  }

  /** @param {number} r @param {Float32Array} x @param {Quaternion} q @param {number[][]} from @param {number[][]} to @param {number} s */
  setRing(r, x, q, from, to, s) {
    const y = new Vector3(0, 1, 0).applyQuaternion(q);
    const z = new Vector3(0, 0, 1).applyQuaternion(q);
    const p = this.position.array, n = this.normal.array;
    let at = 3 * r * this.ring.length;
    for (const { corner, normal } of this.ring) {
      const py = from[corner][0] + s * (to[corner][0] - from[corner][0]);
      const pz = from[corner][1] + s * (to[corner][1] - from[corner][1]);
      for (let k = 0; k < 3; ++k, ++at) {
        p[at] = x[3 * r + k] + py * y.getComponent(k) + pz * z.getComponent(k);
        n[at] = normal[0] * y.getComponent(k) + normal[1] * z.getComponent(k);
      }
    }
  }
}

class BeamFigure {
  /** @param {Beam} beam @param {Look} look */
  constructor(beam, look) {
    this.beam = beam;
    this.look = look;
    this.spine = new Spine(beam);
    this.material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.05, side: DoubleSide });
    this.sweeps = [beam.outlines, ...(beam.holes ? [beam.holes] : [])].map((o) => new Sweep(this.spine, o, this.material));
    /* a line within: slender beams are seen from afar, too */
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial());
    this.linePosition = new BufferAttribute(this.spine.position, 3).setUsage(DynamicDrawUsage);
    this.line.geometry.setAttribute("position", this.linePosition);
    this.line.frustumCulled = false;
    this.paint();
  }

  paint() {
    const paint = elementColour(this.beam.colour, this.look.result, this.look.several);
    this.material.color.copy(paint);
    this.line.material.color.copy(paint);
  }

  /** @param {Pose} pose */
  place(pose) {
    this.spine.place(pose);
    for (const sweep of this.sweeps) sweep.place();
    this.linePosition.needsUpdate = true;
  }
}

export class Beams {
  /** @param {Beam[]} beams @param {Look} look */
  constructor(beams, look) {
    this.group = new Group();
    this.figures = beams.map((beam) => new BeamFigure(beam, look));
    for (const f of this.figures) this.group.add(...f.sweeps.map((s) => s.mesh), f.line);
  }

  paint() {
    for (const figure of this.figures) figure.paint();
  }

  /** @param {Pose} pose */
  place(pose) {
    for (const figure of this.figures) figure.place(pose);
  }
}
