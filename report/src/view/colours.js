// SPDX-License-Identifier: GPL-3.0-or-later
import { Color } from "three";
import { colour, isDark } from "../ui/theme.js";

/** @param {string} name of the style sheet */
export function styleColour(name) {
  return new Color(colour(name) || "#888");
}

/** Hues of bodies: neighbours differ, none shouts. */
const HUES = [0.58, 0.075, 0.42, 0.73, 0.12, 0.5, 0.93, 0.3];

/** Colour of element i of a result; of several results all elements have that of the result. @param {number} i @param {number} result @param {boolean} several */
export function elementColour(i, result, several) {
  if (several) return styleColour(`curve-${result % 8}`);
  return new Color().setHSL(HUES[i % HUES.length], 0.46, isDark() ? 0.58 : 0.52);
}
