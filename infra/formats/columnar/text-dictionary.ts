import { createTextStore, type TextStore } from "./text-store.ts";

/** Different texts, each with the index at which it was first met. */
export type TextDictionary = {
  readonly texts: TextStore;
  /** The index of the text that lies in `source`, which is added if it is new. */
  readonly indexOf: (source: Buffer, start: number, bytes: number) => number;
  readonly clear: () => void;
};

/**
 * Places looked at for one text. A text that would need more is added again, which readers allow, so
 * that no choice of texts makes this slow.
 */
const MOST_PLACES = 16;

/** @param capacity most calls of `indexOf` before it is cleared */
export function createTextDictionary(capacity: number): TextDictionary {
  const texts = createTextStore(capacity);
  const mask = 2 ** Math.ceil(Math.log2(2 * capacity)) - 1;
  /** Index + 1 of the text with a hash; 0 for a free place. */
  const places = new Int32Array(mask + 1);
  const hashes = new Int32Array(capacity);

  function isAt(index: number, source: Buffer, start: number, bytes: number): boolean {
    const at = texts.offsets[index] as number;
    if ((texts.offsets[index + 1] as number) - at !== bytes) return false;
    const own = texts.bytes;
    for (let i = 0; i < bytes; i += 1) {
      if (own[at + i] !== source[start + i]) return false;
    }
    return true;
  }

  return {
    texts,
    indexOf(source, start, bytes) {
      const hash = hashOf(source, start, bytes);
      let place = hash & mask;
      for (let tries = 0; tries < MOST_PLACES; tries += 1) {
        const index = (places[place] as number) - 1;
        if (index < 0) {
          places[place] = texts.length + 1;
          break;
        }
        if (hashes[index] === hash && isAt(index, source, start, bytes)) return index;
        place = (place + 1) & mask;
      }
      hashes[texts.length] = hash;
      texts.add(source, start, bytes);
      return texts.length - 1;
    },
    clear() {
      if (texts.length > 0) places.fill(0);
      texts.clear();
    },
  };
}

/** FNV-1a in 32 bits (RFC 9923), its last bits mixed once more. */
function hashOf(source: Buffer, start: number, bytes: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < start + bytes; i += 1) {
    hash = Math.imul(hash ^ (source[i] as number), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
