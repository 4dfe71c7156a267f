// SPDX-License-Identifier: GPL-3.0-or-later

/** @typedef {{low: [number, number, number], high: [number, number, number]}} Box */

/** @returns {Box} */
export function emptyBox() {
  return { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
}

/** @param {Box} box @param {number} x @param {number} y @param {number} z @param {number} [margin] */
export function addToBox(box, x, y, z, margin = 0) {
  const point = [x, y, z];
  for (let i = 0; i < 3; ++i) {
    if (point[i] - margin < box.low[i]) box.low[i] = point[i] - margin;
    if (point[i] + margin > box.high[i]) box.high[i] = point[i] + margin;
  }
}

/** Centre and half of the diagonal. @param {Box} box @returns {{centre: [number, number, number], radius: number}} */
export function sphereOf(box) {
  if (!(box.low[0] <= box.high[0])) return { centre: [0, 0, 0], radius: 1 };
  const centre = /** @type {[number, number, number]} */ (box.low.map((l, i) => (l + box.high[i]) / 2));
  const radius = Math.hypot(...box.low.map((l, i) => box.high[i] - l)) / 2;
  return { centre, radius: radius > 0 ? radius : 1 };
}
