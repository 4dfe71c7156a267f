// SPDX-License-Identifier: GPL-3.0-or-later
import { el, icon } from "./dom.js";

/** @type {Set<() => void>} */
const listeners = new Set();

/** Tell `act` when light turns to dark or back. @param {() => void} act */
export function onTheme(act) {
  listeners.add(act);
}

/** A colour of the style sheet. @param {string} name without the dashes */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export const CURVES = 8;

/** Colour of curve i. @param {number} i */
export function curveColour(i) {
  return colour(`curve-${i % CURVES}`);
}

function changed() {
  for (const act of listeners) act();
}

/** The switch between light and dark. */
export function themeButton() {
  const name = () => `Switch to ${isDark() ? "light" : "dark"} colours`;
  const button = el("button", { type: "button", class: "icon-button", "aria-label": name(), title: name() }, icon("sun"));
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    changed();
  });
  onTheme(() => {
    button.setAttribute("aria-label", name());
    button.title = name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  return button;
}
