import type { Findings, Place } from "./findings.ts";
import { MAX_DEPTH } from "./nesting.ts";
import { createCapture } from "./string-scanner.ts";

/** Longest event in UTF-16 units; a longer one is reported as an error and not held. */
export const MAX_ELEMENT_LENGTH = 4 * 1024 * 1024;

/** The element being scanned, from its first character to its last. */
export type OpenElement = {
  /** The line where it begins; 0 without an open element. */
  readonly line: () => number;
  /** Starts an element at an index of the current piece, unless one is open. */
  readonly begin: (index: number, line: number) => void;
  /** Marks the element as nested deeper than MAX_DEPTH. */
  readonly tooDeep: () => void;
  /** Ends the element at an index of the current piece and emits it. */
  readonly finish: (piece: string, end: number, place: Place) => void;
  /** Reports the element as broken. */
  readonly breakOff: (message: string) => void;
  /**
   * Drops the element, which turned out to be an envelope, and returns its text up to an index of
   * the current piece; `line` is kept.
   */
  readonly release: (piece: string, end: number) => string | null;
  /**
   * Closes without emitting; with `line`, opens an element whose text is not needed and that begins
   * there.
   */
  readonly reset: (line?: number) => void;
  readonly carry: (piece: string) => void;
};

export function createOpenElement(found: Pick<Findings, "element" | "error">): OpenElement {
  const text = createCapture(MAX_ELEMENT_LENGTH);
  let begun = 0;
  let isTooDeep = false;

  function reset(line = 0): void {
    text.drop();
    begun = line;
  }

  return {
    line: () => begun,
    begin(index, line) {
      if (begun !== 0) return;
      begun = line;
      isTooDeep = false;
      text.begin(index);
    },
    tooDeep() {
      isTooDeep = true;
    },
    finish(piece, end, place) {
      const complete = text.take(piece, end);
      if (isTooDeep) found.error(begun, `is nested deeper than ${MAX_DEPTH} levels`);
      else if (complete !== null) found.element(complete, begun, place);
      else found.error(begun, `is longer than ${MAX_ELEMENT_LENGTH} characters`);
      begun = 0;
    },
    breakOff(message) {
      found.error(begun, message);
      reset();
    },
    release: text.take,
    reset,
    carry: text.carry,
  };
}
