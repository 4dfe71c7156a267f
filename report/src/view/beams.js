// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * Beams: their section swept along the nodes.
 *
 * @typedef {{name: string, nodes: number[], outlines: number[][][], colour: number}} Beam  outlines: closed polygons (y, z), one
 *   for all nodes or one for each
 * @typedef {import("../data/motion.js").Pose} Pose
 */
import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, Mesh, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import { elementColour } from "./colours.js";
import { nodeQuaternion } from "./solids.js";

/** Pieces that an element is drawn in, and of all of a beam at most. */
const PIECES = 6;
const MOST_RINGS = 1500;
/** Corners of an outline sharper than this are drawn sharp, cosine. */
const SMOOTH = Math.cos(40 * Math.PI / 180);

/** Points of a ring with their normals (y, z): sharp corners twice. @param {number[][]} outline */
function ringOf(outline) {
  const count = outline.length;
  const edges = outline.map(([y, z], i) => {
    const [ny, nz] = outline[(i + 1) % count];
    const length = Math.hypot(ny - y, nz - z) || 1;
    return [(nz - z) / length, -(ny - y) / length];
  });
  let area = 0;
  outline.forEach(([y, z], i) => { area += y * outline[(i + 1) % count][1] - z * outline[(i + 1) % count][0]; });
  const out = area >= 0 ? 1 : -1;
  /** @type {{corner: number, normal: number[]}[]} */
  const ring = [];
  for (let i = 0; i <= count; ++i) {
    const corner = i % count;
    const before = edges[(corner + count - 1) % count];
    const after = edges[corner];
    const smooth = before[0] * after[0] + before[1] * after[1] > SMOOTH;
    const mean = [out * (before[0] + after[0]) / 2, out * (before[1] + after[1]) / 2];
    if (i > 0) ring.push({ corner, normal: smooth ? mean : before.map((x) => out * x) });
    if (i < count) ring.push({ corner, normal: smooth ? mean : after.map((x) => out * x) });
  }
  return ring; // pairs: the two ends of each edge
}

class Sweep {
  /** @param {Beam} beam @param {{result: number, several: boolean}} look */
  constructor(beam, look) {
    this.beam = beam;
    this.look = look;
    this.ring = ringOf(beam.outlines[0]);
    const elements = beam.nodes.length - 1;
    this.pieces = Math.max(1, Math.min(PIECES, Math.floor(MOST_RINGS / elements)));
    this.rings = elements * this.pieces + 1;
    const size = this.ring.length;
    const geometry = new BufferGeometry();
    this.position = new BufferAttribute(new Float32Array(3 * size * this.rings), 3).setUsage(DynamicDrawUsage);
    this.normal = new BufferAttribute(new Float32Array(3 * size * this.rings), 3).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setIndex(this.faces());
    this.material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.05, side: DoubleSide });
    this.mesh = new Mesh(geometry, this.material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.userData.name = beam.name;
    this.paint();
  }

  faces() {
    const size = this.ring.length;
    /** @type {number[]} */ const index = [];
    for (let r = 0; r + 1 < this.rings; ++r)
      for (let e = 0; e < size; e += 2) {
        const a = r * size + e;
        index.push(a, a + 1, a + size, a + 1, a + size + 1, a + size);
      }
    for (const [r, flip] of [[0, 1], [this.rings - 1, 0]])
      for (let e = 2; e + 2 < size; e += 2) {
        const base = r * size;
        index.push(base, base + (flip ? e + 2 : e), base + (flip ? e : e + 2));
      }
    return index;
  }

  paint() {
    this.material.color = elementColour(this.beam.colour, this.look.result, this.look.several);
  }

  /** @param {Pose} pose */
  place(pose) {
    const a = new Vector3(), b = new Vector3(), ta = new Vector3(), tb = new Vector3(), x = new Vector3();
    const qa = new Quaternion(), qb = new Quaternion(), q = new Quaternion();
    const { nodes, outlines } = this.beam;
    let ring = 0;
    for (let e = 0; e + 1 < nodes.length; ++e) {
      a.fromArray(pose.position, 3 * nodes[e]);
      b.fromArray(pose.position, 3 * nodes[e + 1]);
      nodeQuaternion(qa, pose, nodes[e]);
      nodeQuaternion(qb, pose, nodes[e + 1]);
      const length = a.distanceTo(b);
      ta.set(length, 0, 0).applyQuaternion(qa);
      tb.set(length, 0, 0).applyQuaternion(qb);
      const last = e + 2 === nodes.length ? this.pieces : this.pieces - 1;
      for (let i = 0; i <= last; ++i) {
        const s = i / this.pieces;
        hermite(x, a, b, ta, tb, s);
        q.slerpQuaternions(qa, qb, s);
        this.setRing(ring++, x, q, outlines[outlines.length > 1 ? e : 0], outlines[outlines.length > 1 ? e + 1 : 0], s);
      }
    }
    this.position.needsUpdate = this.normal.needsUpdate = true;
  }

  /** @param {number} r @param {Vector3} x @param {Quaternion} q @param {number[][]} from @param {number[][]} to @param {number} s */
  setRing(r, x, q, from, to, s) {
    const y = new Vector3(0, 1, 0).applyQuaternion(q);
    const z = new Vector3(0, 0, 1).applyQuaternion(q);
    const p = this.position.array, n = this.normal.array;
    let at = 3 * r * this.ring.length;
    for (const { corner, normal } of this.ring) {
      const py = from[corner][0] + s * (to[corner][0] - from[corner][0]);
      const pz = from[corner][1] + s * (to[corner][1] - from[corner][1]);
      for (const k of /** @type {("x"|"y"|"z")[]} */ (["x", "y", "z"])) {
        p[at] = x[k] + py * y[k] + pz * z[k];
        n[at++] = normal[0] * y[k] + normal[1] * z[k];
      }
    }
  }
}

/** @param {Vector3} out @param {Vector3} a @param {Vector3} b @param {Vector3} ta @param {Vector3} tb @param {number} s */
function hermite(out, a, b, ta, tb, s) {
  const s2 = s * s, s3 = s2 * s;
  out.set(0, 0, 0).addScaledVector(a, 2 * s3 - 3 * s2 + 1).addScaledVector(ta, s3 - 2 * s2 + s)
    .addScaledVector(b, 3 * s2 - 2 * s3).addScaledVector(tb, s3 - s2);
}

export class Beams {
  /** @param {Beam[]} beams @param {{result: number, several: boolean}} look */
  constructor(beams, look) {
    this.group = new Group();
    this.sweeps = beams.map((beam) => new Sweep(beam, look));
    for (const sweep of this.sweeps) this.group.add(sweep.mesh);
  }

  paint() {
    for (const sweep of this.sweeps) sweep.paint();
  }

  /** @param {Pose} pose */
  place(pose) {
    for (const sweep of this.sweeps) sweep.place(pose);
  }
}
