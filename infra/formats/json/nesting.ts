import { CLOSE_LIST, COLON, COMMA, OPEN_LIST, OPEN_OBJECT } from "../../json/scan.ts";

/** Levels of nesting that are tracked; deeper ones are only counted. */
export const MAX_DEPTH = 64;

/** The open brackets at a place in a JSON text. */
export function createNesting() {
  const brackets = new Uint8Array(MAX_DEPTH + 1);
  let depth = 0;

  return {
    depth: () => depth,
    /** Whether a value may start after a character; beyond MAX_DEPTH always true. */
    admits(last: number): boolean {
      const innermost = depth > MAX_DEPTH ? 0 : brackets[depth];
      if (innermost === OPEN_OBJECT) return last === COLON;
      return innermost !== OPEN_LIST || last === COMMA || last === OPEN_LIST;
    },
    open(bracket: number): void {
      depth++;
      if (depth <= MAX_DEPTH) brackets[depth] = bracket;
    },
    /**
     * Closes the innermost bracket of the kind above `base`, and those inside; false without one.
     */
    close(bracket: number, base: number): boolean {
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
    /** Drops the open brackets above `base`. */
    cut(base: number): void {
      depth = base;
    },
  };
}
