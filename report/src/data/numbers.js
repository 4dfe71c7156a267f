// SPDX-License-Identifier: GPL-3.0-or-later

/** A number for people, `digits` significant ones. @param {number|null|undefined} x @param {number} [digits] */
export function format(x, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e6) return trim(x.toPrecision(digits)).replace("-", "−");
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  return `${trim(mantissa)}e${exponent.replace("+", "")}`.replaceAll("-", "−");
}

/** @param {string} text */
function trim(text) {
  return text.includes("e") || !text.includes(".") ? text : text.replace(/\.?0+$/, "");
}

/** Place of the last entry <= x in ascending values, at least 0. @param {ArrayLike<number>} values @param {number} x */
export function lastBelow(values, x) {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Smallest and largest number. @param {ArrayLike<number|null>} values @returns {[number, number]} */
export function rangeOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; ++i) {
    const x = values[i];
    if (x === null || Number.isNaN(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return [low, high];
}

/** 1, 2 or 5 times a power of ten near x. @param {number} x */
export function niceNear(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const part = x / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}
