// SPDX-License-Identifier: GPL-3.0-or-later

/** Corners of an outline sharper than this are drawn sharp, cosine. */
const SMOOTH = Math.cos(40 * Math.PI / 180);

/**
 * Points of a ring in pairs, the two ends of each edge, with their normals (y, z).
 * @param {number[][]} outline closed polygon @returns {{corner: number, normal: number[]}[]}
 */
export function ringOf(outline) {
  const count = outline.length;
  let area = 0;
  outline.forEach(([y, z], i) => { area += y * outline[(i + 1) % count][1] - z * outline[(i + 1) % count][0]; });
  const side = area >= 0 ? 1 : -1;
  const edges = outline.map(([y, z], i) => {
    const [ny, nz] = outline[(i + 1) % count];
    const length = Math.hypot(ny - y, nz - z) || 1;
    return [side * (nz - z) / length, -side * (ny - y) / length];
  });
  const normalAt = (/** @type {number} */ corner, /** @type {number[]} */ own) => {
    const [a, b] = [edges[(corner + count - 1) % count], edges[corner]];
    return a[0] * b[0] + a[1] * b[1] > SMOOTH ? [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] : own;
  };
  return edges.flatMap((edge, i) => [i, (i + 1) % count].map((corner) => ({ corner, normal: normalAt(corner, edge) })));
}
