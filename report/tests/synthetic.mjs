// SPDX-License-Identifier: GPL-3.0-or-later
/** Pages of made-up results: FORMAT.md written out a second time, apart from the command. */
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

class Writer {
  constructor() {
    this.pieces = [];
    this.length = 0;
    this.arrays = [];
  }

  /** @param {Buffer} bytes @param {object} head */
  add(bytes, head) {
    const padding = (8 - this.length % 8) % 8;
    this.pieces.push(Buffer.alloc(padding), bytes);
    this.arrays.push({ block: 0, offset: this.length + padding, ...head });
    this.length += padding + bytes.length;
    return this.arrays.length - 1;
  }

  numbers(values) {
    const v = Float64Array.from(values);
    return this.add(Buffer.from(v.buffer), { kind: "f64", count: v.length });
  }

  text(string) {
    const bytes = Buffer.from(string);
    return this.add(bytes, { kind: "text", count: bytes.length });
  }

  /** @param {number} series @param {number} count @param {(s: number, k: number) => number} value @param {[number, number]|null} fixed low and scale */
  quantised(series, count, value, fixed) {
    const range = [];
    const bytes = Buffer.alloc(2 * series * count);
    const row = new Float64Array(count);
    for (let s = 0; s < series; ++s) {
      for (let k = 0; k < count; ++k) row[k] = value(s, k);
      const low = fixed ? fixed[0] : row.reduce((a, b) => Math.min(a, b));
      const scale = fixed ? fixed[1] : (row.reduce((a, b) => Math.max(a, b)) - low) / 65535 || 1;
      range.push(low, scale);
      let last = 0;
      let slope = 0;
      for (let k = 0; k < count; ++k) {
        const code = Math.round((row[k] - low) / scale);
        const first = k ? code - last : code;
        const d = (((k ? first - slope : first) & 0xffff) << 16) >> 16;
        const zigzag = ((d << 1) ^ (d >> 31)) & 0xffff;
        bytes[s * count + k] = zigzag & 255;
        bytes[series * count + s * count + k] = zigzag >> 8;
        if (k) slope = first;
        last = code;
      }
    }
    const more = fixed ? { low: fixed[0], scale: fixed[1] } : { range: this.numbers(range) };
    return this.add(bytes, { kind: "q16", count, series, ...more });
  }

  /** @param {string} bundle @param {string} file @param {object[]} results @param {string} title */
  write(bundle, file, results, title) {
    const block = deflateSync(Buffer.concat(this.pieces), { level: 6 }).toString("base64");
    const head = { torsor_report: 1, version: "0.1.0", title, arrays: this.arrays, results,
      blocks: [{ id: "torsor-block-0", deflate: true, bytes: this.length }] };
    const json = JSON.stringify(head).replaceAll("<", "\\u003c");
    const data = `<script type="application/json" id="torsor-head">${json}</script>\n<script type="text/plain" id="torsor-block-0">${block}</script>`;
    const page = readFileSync(bundle, "utf8").replace("<!--torsor-data-->", () => data);
    writeFileSync(file, page);
    return page.length;
  }
}

const marker = (node, position) => ({ node, position, quaternion: [1, 0, 0, 0] });

/** Pendulums in a square, each with a hinge. @param {string} bundle @param {string} file @param {number} bodies @param {number} frames */
export function crowd(bundle, file, bodies, frames) {
  const w = new Writer();
  const side = Math.ceil(Math.sqrt(bodies));
  const time = Array.from({ length: frames }, (_, k) => k * 0.005);
  const angle = (b, k) => 0.9 * Math.cos((2 + b / bodies) * time[k]) + 0.02 * Math.sin(31 * time[k] + b);
  const at = (b) => [(b % side) * 0.5, Math.floor(b / side) * 0.5];
  const place = (s, k) => {
    const b = Math.floor(s / 3);
    const a = angle(b, k);
    return s % 3 === 0 ? at(b)[0] + 0.4 * Math.sin(a) : s % 3 === 1 ? at(b)[1] : -0.4 * Math.cos(a);
  };
  const turn = (s, k) => {
    const a = angle(Math.floor(s / 4), k) / 2;
    return s % 4 === 0 ? Math.cos(a) : s % 4 === 2 ? -Math.sin(a) : 0;
  };
  const names = Array.from({ length: bodies }, (_, b) => `bob${b}`);
  const t = w.numbers(time);
  const motion = {
    time: t, every: 1, names, position: w.quantised(3 * bodies, frames, place, null),
    quaternion: w.quantised(4 * bodies, frames, turn, [-1, 2 / 65535]),
    geometry: {
      up: [0, 0, 1], scale: side * 0.5, lines: [], beams: [], bodies: names.map((name, node) => ({ name, node })),
      solids: names.map((name, node) => ({ name, node, kind: ["box", "sphere", "cylinder", "capsule"][node % 4], size: [0.1, 0.1, 0.16], position: [0, 0, 0], quaternion: [1, 0, 0, 0] })),
      links: names.map((name, b) => ({ name: `hinge${b}`, type: "revolute", symbol: "hinge", axes: [[0, 1, 0]], markers: [marker(-1, [...at(b), 0]), marker(b, [0, 0, 0.4])] })),
    },
  };
  const columns = [{ name: "t", unit: "s", array: t }, ...[0, 1].flatMap((b) => ["x", "y", "z"].map((c, i) => ({
    name: `bob${b}.position.${c}`, unit: "m", array: w.numbers(time.map((_, k) => place(3 * b + i, k))) })))];
  return w.write(bundle, file, [{ label: "crowd", reference: false, files: {}, table: { rows: frames, every: 1, columns }, motion }], `${bodies} pendulums`);
}

/** One of everything that a page can show. @param {string} bundle @param {string} file */
export function everything(bundle, file) {
  const w = new Writer();
  const frames = 240;
  const time = Array.from({ length: frames }, (_, k) => k / 60);
  const arc = (s, k) => 0.6 * Math.sin(2 * time[k]) * s; // the beam bends
  const nodes = 9;
  const ball = nodes;
  const place = (series, k) => {
    const n = Math.floor(series / 3);
    if (n === ball) return [1.3, 0.3 * Math.cos(3 * time[k]), 0.5 + 0.25 * Math.sin(3 * time[k])][series % 3];
    let [x, z] = [0, 1];
    for (let i = 0; i < n; ++i) {
      x += Math.cos(arc((i + 0.5) / 8, k)) / 8;
      z += Math.sin(arc((i + 0.5) / 8, k)) / 8;
    }
    return [x, 0, z][series % 3];
  };
  const turn = (series, k) => {
    const n = Math.floor(series / 4);
    const a = n === ball ? -time[k] : arc(n / 8, k);
    return [Math.cos(a / 2), 0, -Math.sin(a / 2), 0][series % 4];
  };
  const t = w.numbers(time);
  const names = [...Array.from({ length: nodes }, (_, i) => `wing[${i}]`), "ball"];
  const square = [[-0.05, -0.03], [0.05, -0.03], [0.05, 0.03], [-0.05, 0.03]];
  const solid = (kind, x, name) => ({ name, node: -1, kind, size: [0.16, 0.16, kind === "torus" ? 0.05 : 0.24], position: [x, -0.8, 0.2], quaternion: [1, 0, 0, 0] });
  const symbols = ["ball", "hinge", "slider", "cylinder", "screw", "cross", "plane", "contact", "weld"];
  const motion = {
    time: t, every: 1, names, position: w.quantised(3 * names.length, frames, place, null),
    quaternion: w.quantised(4 * names.length, frames, turn, [-1, 2 / 65535]),
    geometry: {
      up: [0, 0, 1], scale: 1.5, lines: [[8, 9]], bodies: [{ name: "wing", node: 8 }, { name: "ball", node: ball }],
      beams: [{ name: "wing", nodes: [0, 1, 2, 3, 4, 5, 6, 7, 8], framed: true, outlines: [square], holes: [square.map(([y, z]) => [y * 0.7, z * 0.7])] }],
      solids: [{ name: "ball", node: ball, kind: "sphere", size: [0.2, 0.2, 0.2], position: [0, 0, 0], quaternion: [1, 0, 0, 0] },
        ...["box", "sphere", "cylinder", "cone", "capsule", "torus"].map((kind, i) => solid(kind, 0.25 * i, kind))],
      links: [...symbols.map((symbol, i) => ({ name: symbol, type: symbol, symbol, axes: [[0, 0, 1]], markers: [marker(-1, [0.18 * i, 0.8, 0.1])] })),
        { name: "spring", type: "spring_damper", symbol: "spring", axes: [], markers: [marker(-1, [1.3, 0, 1.2]), marker(ball, [0, 0, 0])] },
        { name: "rod", type: "distance", symbol: "rod", axes: [], markers: [marker(-1, [1.6, 0, 0]), marker(ball, [0, 0, 0])] }],
    },
  };
  const signal = (name, unit, f) => ({ name, unit, array: w.numbers(time.map(f)) });
  const columns = [{ name: "t", unit: "s", array: t },
    ...["x", "y", "z"].map((c, i) => signal(`ball.position.${c}`, "m", (_, k) => place(3 * ball + i, k))),
    ...["x", "y", "z"].map((c, i) => signal(`spring.force.${c}`, "N", (x) => [0, 8 * Math.cos(3 * x), 20 + 9 * Math.sin(3 * x)][i])),
    ...["x", "y", "z"].map((c, i) => signal(`rod.moment.${c}`, "N m", (x) => [0, 3, Math.sin(x)][i])),
    signal("energy.total", "J", (x) => 1000 + 1e-6 * Math.sin(5 * x)),
    signal("spring.residual", "m", (x) => 1e-12 * (1 + x) ** 4)];
  const summary = { status: "OK", message: "success", version: "0.1.0", title: "One of everything", method: "generalized_alpha", settings: { step: 1e-3, formulation: "index3" }, t: 4, steps: 4000, newton_iterations: 9000,
    energy: { initial: 1000, final: 1000, max_drift: 1e-6 }, warnings: ["rows <b>are</b> redundant"], events: [{ name: "touch", t: 1.5, direction: "rising" }] };
  const study = "signal,step,error,order,cpu_seconds\n" + [1, 2, 4].map((i) => `ball.position,${i * 1e-3},${1e-5 * i * i},${i > 1 ? "2" : ""},0.1`).join("\n") + "\n";
  const files = { "summary.json": w.text(JSON.stringify(summary)), "convergence.csv": w.text(study) };
  return w.write(bundle, file, [{ label: "everything", reference: false, files, table: { rows: frames, every: 2, columns }, motion, notices: ["A notice."] }], "One of everything");
}
