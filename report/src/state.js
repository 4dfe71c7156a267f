// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * What the page shows; parts listen to what concerns them.
 *
 * @typedef {{time: number, playing: boolean, speed: number, loop: boolean, signals: string[], follow: string,
 *            hidden: number[], trails: boolean, frames: boolean, joints: boolean, forces: boolean, moments: boolean,
 *            arrowScale: number, mode: number, amplitude: number, selected: string, range: [number, number], onlyModes: boolean,
 *            sample: number}} View  sample: the one of a study that is chosen, -1 = none
 */

/** @typedef {keyof View} Key */

export class State {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    /** @type {{keys: Key[], act: (view: View) => void}[]} */ this.listeners = [];
  }

  /** Call `act` now and whenever one of `keys` changes. @param {Key[]} keys @param {(view: View) => void} act */
  on(keys, act) {
    this.listeners.push({ keys, act });
    act(this.view);
  }

  /** @param {Partial<View>} change */
  set(change) {
    const keys = /** @type {Key[]} */ (Object.keys(change)).filter((key) => change[key] !== this.view[key]);
    if (!keys.length) return;
    Object.assign(this.view, change);
    for (const listener of this.listeners)
      if (listener.keys.some((key) => keys.includes(key))) listener.act(this.view);
  }
}
