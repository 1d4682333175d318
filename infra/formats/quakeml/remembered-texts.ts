/** Texts remembered to tell what comes again; beyond it none are. A table of so many is 8 MiB. */
const MAX_REMEMBERED = 500_000;
const FIRST_SLOTS = 1024;

export type RememberedTexts = {
  /** True when the text was there before; remembers it otherwise. */
  readonly wasThere: (text: string) => boolean;
};

/**
 * Remembers texts by 52 bits of their hash, in a table with open addressing. The texts themselves are
 * slices of the file, which they would keep in memory; half a million of them meet by chance once in
 * 30,000 files.
 */
export function createRememberedTexts(): RememberedTexts {
  let slots = new Float64Array(FIRST_SLOTS);
  let count = 0;

  /** Where the hash is, or the free slot where it belongs; 0 is free. */
  function slotOf(hash: number): number {
    const mask = slots.length - 1;
    let slot = (hash & mask) >>> 0;
    while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const before = slots;
    slots = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== 0) slots[slotOf(hash)] = hash;
  }

  return {
    wasThere(text) {
      const hash = hashOf(text);
      const slot = slotOf(hash);
      if (slots[slot] === hash) return true;
      if (count === MAX_REMEMBERED) return false;
      slots[slot] = hash;
      if (++count * 2 > slots.length) grow();
      return false;
    },
  };
}

/** 52 bits by two multiplicative hashes, never 0. */
function hashOf(text: string): number {
  let a = 0x811c_9dc5;
  let b = 0x9e37_79b9;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x0100_0193);
    b = Math.imul(b + code, 0x85eb_ca6b) ^ (b >>> 15);
  }
  return (a >>> 6) * 2 ** 26 + (b >>> 6) || 1;
}
