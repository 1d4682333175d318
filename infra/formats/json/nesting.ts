/** Levels of nesting that are looked at; deeper ones are only counted. */
export const MAX_DEPTH = 64;

export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** The brackets that are open at a place of a JSON text. */
export type Nesting = {
  readonly depth: () => number;
  /** The innermost open bracket; 0 outside of all of them and beyond MAX_DEPTH. */
  readonly innermost: () => number;
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
    innermost: () => (depth > MAX_DEPTH ? 0 : (brackets[depth] ?? 0)),
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
