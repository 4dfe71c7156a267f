// SPDX-License-Identifier: GPL-3.0-or-later
/**
 * The page's data: a JSON head and blocks of binary arrays (FORMAT.md).
 *
 * @typedef {{id: string, deflate: boolean, bytes: number}} BlockHead
 * @typedef {{kind: "f64"|"f32"|"text"|"q16", block: number, offset: number, count: number,
 *            shift?: number, series?: number, range?: number, low?: number, scale?: number}} ArrayHead
 */

/** @param {string} text base64, blanks allowed @returns {Uint8Array<ArrayBuffer>} */
export function fromBase64(text) {
  const PIECE = 1 << 20; // characters at a time: a multiple of 4
  const clean = /\s/.test(text) ? text.replace(/\s+/g, "") : text;
  const padding = clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0;
  const out = new Uint8Array((clean.length / 4) * 3 - padding);
  let at = 0;
  for (let start = 0; start < clean.length; start += PIECE) {
    const bytes = atob(clean.slice(start, start + PIECE));
    for (let i = 0; i < bytes.length; ++i) out[at++] = bytes.charCodeAt(i);
  }
  return out;
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {Promise<Uint8Array>} */
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {Document} document @param {BlockHead[]} heads @returns {Promise<Uint8Array[]>} */
async function readBlocks(document, heads) {
  return Promise.all(heads.map(async (head) => {
    const element = document.getElementById(head.id);
    if (!element) throw new Error(`the page has no block ${head.id}`);
    const packed = fromBase64(element.textContent ?? "");
    element.textContent = ""; // the text is not needed any more
    const bytes = head.deflate ? await inflate(packed) : packed;
    if (bytes.length !== head.bytes)
      throw new Error(`block ${head.id} has ${bytes.length} bytes, not ${head.bytes}: the file was cut off`);
    return bytes;
  }));
}

/**
 * Undo second differences in time, zigzag and byte planes: u16 [series][count].
 * @param {Uint8Array} bytes all low bytes, then all high bytes @param {number} series @param {number} count
 */
export function decodeQuantised(bytes, series, count) {
  const total = series * count;
  const out = new Uint16Array(total);
  for (let s = 0; s < series; ++s) {
    let value = 0;
    let slope = 0;
    for (let k = 0; k < count; ++k) {
      const i = s * count + k;
      const zigzag = bytes[i] | (bytes[total + i] << 8);
      const difference = (zigzag >>> 1) ^ -(zigzag & 1);
      if (k === 0) value = difference;
      else {
        slope = (slope + difference) & 0xffff;
        value += slope;
      }
      value &= 0xffff;
      out[i] = value;
    }
  }
  return out;
}

/** Numbers with 4 or 8 bytes, little-endian, at any offset. @param {Uint8Array} bytes @param {number} size */
function aligned(bytes, size) {
  return bytes.byteOffset % size === 0 ? bytes : bytes.slice();
}

export class Store {
  /** @param {any} head @param {Uint8Array[]} blocks */
  constructor(head, blocks) {
    /** @type {any} */ this.head = head;
    /** @type {ArrayHead[]} */ this.arrays = head.arrays;
    this.blocks = blocks;
    /** @type {Map<number, any>} */ this.cache = new Map();
  }

  /** @param {number} index @param {number} size bytes */
  bytes(index, size) {
    const a = this.arrays[index];
    return this.blocks[a.block].subarray(a.offset, a.offset + size);
  }

  /** @param {number} index @returns {Float64Array} */
  numbers(index) {
    const kept = this.cache.get(index);
    if (kept) return kept;
    const a = this.arrays[index];
    let out;
    if (a.kind === "f64") {
      const b = aligned(this.bytes(index, 8 * a.count), 8);
      out = new Float64Array(b.buffer, b.byteOffset, a.count);
    } else if (a.kind === "f32") {
      const b = aligned(this.bytes(index, 4 * a.count), 4);
      const small = new Float32Array(b.buffer, b.byteOffset, a.count);
      out = Float64Array.from(small, (x) => x + (a.shift ?? 0));
    } else throw new Error(`array ${index} is not one of numbers`);
    this.cache.set(index, out);
    return out;
  }

  /** @param {number} index @returns {string} */
  text(index) {
    return new TextDecoder().decode(this.bytes(index, this.arrays[index].count));
  }

  /**
   * Quantised series: `at(series, frame)` gives the number.
   * @param {number} index
   * @returns {{codes: Uint16Array, low: Float64Array, scale: Float64Array, count: number, series: number}}
   */
  quantised(index) {
    const kept = this.cache.get(index);
    if (kept) return kept;
    const a = this.arrays[index];
    const series = a.series ?? 0;
    const codes = decodeQuantised(this.bytes(index, 2 * series * a.count), series, a.count);
    const low = new Float64Array(series).fill(a.low ?? 0);
    const scale = new Float64Array(series).fill(a.scale ?? 1);
    if (a.range !== undefined) {
      const range = this.numbers(a.range);
      for (let s = 0; s < series; ++s) {
        low[s] = range[2 * s];
        scale[s] = range[2 * s + 1];
      }
    }
    const out = { codes, low, scale, count: a.count, series };
    this.cache.set(index, out);
    return out;
  }
}

/** @param {Document} document @returns {Promise<Store>} */
export async function readPage(document) {
  const element = document.getElementById("torsor-head");
  const head = JSON.parse(element?.textContent || "null");
  if (!head) throw new Error("the page holds no results");
  if (head.torsor_report !== 1) throw new Error(`the data have the format ${head.torsor_report}; this page knows 1`);
  return new Store(head, await readBlocks(document, head.blocks));
}
