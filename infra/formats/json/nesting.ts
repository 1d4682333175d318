import { CLOSE_LIST, COLON, COMMA, OPEN_LIST, OPEN_OBJECT } from "../../json/scan.ts";

/** Levels of nesting that are looked at; deeper ones are only counted. */
export const MAX_DEPTH = 64;

/** The brackets that are open at a place of a JSON text. */
export type Nesting = {
  readonly depth: () => number;
  /** Whether a value may begin after a character; beyond MAX_DEPTH always. */
  readonly admits: (last: number) => boolean;
  readonly open: (bracket: number) => void;
  /**
   * Closes the innermost bracket of the kind above `base`, and with it what was left open inside.
   * False when there is none.
   */
  readonly close: (bracket: number, base: number) => boolean;
  /** Forgets what is open above `base`. */
  readonly cut: (base: number) => void;
};

export function createNesting(): Nesting {
  const brackets = new Uint8Array(MAX_DEPTH + 1);
  let depth = 0;

  return {
    depth: () => depth,
    admits(last) {
      const innermost = depth > MAX_DEPTH ? 0 : (brackets[depth] ?? 0);
      if (innermost === OPEN_OBJECT) return last === COLON;
      return innermost !== OPEN_LIST || last === COMMA || last === OPEN_LIST;
    },
    open(bracket) {
      depth++;
      if (depth <= MAX_DEPTH) brackets[depth] = bracket;
    },
    close(bracket, base) {
      if (depth > MAX_DEPTH) {
        depth--;
        return true;
      }
      const opening = bracket === CLOSE_LIST ? OPEN_LIST : OPEN_OBJECT;
      for (let level = depth; level > base; level--) {
        if (brackets[level] !== opening) continue;
        depth = level - 1;
        return true;
      }
      return false;
    },
    cut(base) {
      depth = base;
    },
  };
}
