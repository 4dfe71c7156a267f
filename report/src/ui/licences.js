// SPDX-License-Identifier: GPL-3.0-or-later
import { el } from "./dom.js";

/** The licences of what the page is made of; the build puts their texts in. */
export function licencesDialog() {
  const text = document.getElementById("torsor-licences")?.textContent ?? "";
  const close = el("button", { type: "button", class: "quiet" }, "Close");
  const dialog = el("dialog", { class: "licences", "aria-labelledby": "licences-title" },
    el("h2", { id: "licences-title" }, "Licences"), el("pre", { tabindex: "0" }, text.trim()), close);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}
