import { randomInt } from "node:crypto";

const FIRST_ENTRIES = 1024;
const FNV_PRIME = 0x01000193;

/**
 * Whole numbers by texts, a text's in the order they were added, in 20 bytes each: a text is known by 64
 * bits of its hash. The hash has a seed of its own, against files that are made to have equal ones.
 */
export function createTextIndex() {
  const seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;
  let heads = new Int32Array(FIRST_ENTRIES).fill(-1);
  let nexts = new Int32Array(FIRST_ENTRIES);
  let hashes = new Uint32Array(FIRST_ENTRIES);
  let others = new Uint32Array(FIRST_ENTRIES);
  let numbers = new Uint32Array(FIRST_ENTRIES);
  let size = 0;

  function link(entry: number): void {
    const head = (hashes[entry] ?? 0) % heads.length;
    nexts[entry] = heads[head] ?? -1;
    heads[head] = entry;
  }

  function grow(): void {
    hashes = doubled(hashes);
    others = doubled(others);
    numbers = doubled(numbers);
    nexts = new Int32Array(numbers.length);
    heads = new Int32Array(numbers.length).fill(-1);
    for (let entry = 0; entry < size; entry++) link(entry);
  }

  return {
    add(text: string, number: number): void {
      if (size === numbers.length) grow();
      hashes[size] = hashOf(text, seeds[0]);
      others[size] = hashOf(text, seeds[1]);
      numbers[size] = number;
      link(size);
      size += 1;
    },
    numbersOf(text: string): readonly number[] {
      const hash = hashOf(text, seeds[0]);
      const other = hashOf(text, seeds[1]);
      const found: number[] = [];
      for (let entry = heads[hash % heads.length] ?? -1; entry >= 0; entry = nexts[entry] ?? -1) {
        if (hashes[entry] === hash && others[entry] === other) found.push(numbers[entry] ?? 0);
      }
      return found.reverse();
    },
  };
}

function doubled(from: Uint32Array): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(2 * from.length);
  to.set(from);
  return to;
}

/** FNV-1a over UTF-16 units, from a seed. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}

/** Most ids remembered; further ones are not checked. */
const MAX_REMEMBERED = 500_000;

/** Tells of each id of a file whether it was there before. */
export function createRepeatedIds(): (id: string) => boolean {
  const ids = createTextIndex();
  let remembered = 0;
  return (id) => {
    if (ids.numbersOf(id).length > 0) return true;
    if (remembered < MAX_REMEMBERED) ids.add(id, remembered++);
    return false;
  };
}
