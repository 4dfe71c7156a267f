// SPDX-License-Identifier: GPL-3.0-or-later

/**
 * An element with attributes (a function is a listener) and children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Record<string, any>} [attributes] @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name in element && typeof value !== "string") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child || child === "") element.append(/** @type {any} */ (child));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** Icons: paths in a square of 24. */
const ICONS = {
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  start: "M6 5h2.2v14H6zM19 5.5v13L9 12z",
  end: "M15.8 5H18v14h-2.2zM5 5.5v13L15 12z",
  back: "M15.5 5.5v13L5 12zM17 5.5h2v13h-2z",
  forward: "M8.5 5.5v13L19 12zM5 5.5h2v13H5z",
  loop: "M7 7h8.6l-2.3-2.3L14.7 3.3 19.4 8l-4.7 4.7-1.4-1.4L15.6 9H7a3 3 0 0 0-3 3H2a5 5 0 0 1 5-5zm10 10H8.4l2.3 2.3-1.4 1.4L4.600 16l4.7-4.7 1.4 1.4L8.4 15H17a3 3 0 0 0 3-3h2a5 5 0 0 1-5 5z",
  close: "M6.4 5 12 10.600 17.6 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
  table: "M4 5h16v14H4zm2 2v3h5V7zm7 0v3h5V7zm-7 5v5h5v-5zm7 0v5h5v-5z",
  sun: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v3h-2zm0 19h2v3h-2zM1 11h3v2H1zm19 0h3v2h-3zM3.500 4.900 4.900 3.500 7 5.600 5.600 7zm13.500 13.500 1.400-1.400 2.100 2.100-1.400 1.400zM3.500 19.100l2.100-2.100L7 18.400l-2.100 2.100zM17 5.600l2.100-2.100 1.400 1.400L18.400 7z",
  target: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 1h2v4.100a7 7 0 0 1 5.900 5.900H23v2h-4.100a7 7 0 0 1-5.900 5.900V23h-2v-4.100A7 7 0 0 1 5.100 13H1v-2h4.100A7 7 0 0 1 11 5.100z",
  zoom: "M10 3a7 7 0 1 0 4.300 12.500l5.100 5.100 1.400-1.400-5.100-5.100A7 7 0 0 0 10 3zm0 2a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button with an icon and a name for screen readers. @param {keyof typeof ICONS} name @param {string} label @param {() => void} act */
export function iconButton(name, label, act) {
  return el("button", { type: "button", class: "icon-button", "aria-label": label, title: label, click: act }, icon(name));
}

/** A labelled switch. @param {string} label @param {boolean} checked @param {(on: boolean) => void} act */
export function toggle(label, checked, act) {
  const box = el("input", { type: "checkbox", checked });
  box.addEventListener("change", () => act(box.checked));
  return el("label", { class: "toggle" }, box, el("span", {}, label));
}

/** A labelled choice. @param {string} label @param {[string, string][]} options value and text @param {string} value @param {(value: string) => void} act */
export function choice(label, options, value, act) {
  const select = el("select", {}, ...options.map(([v, text]) => el("option", { value: v }, text)));
  select.value = value;
  select.addEventListener("change", () => act(select.value));
  return el("label", { class: "choice" }, el("span", {}, label), select);
}
