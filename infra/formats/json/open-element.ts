import { createCapture } from "./capture.ts";
import type { Findings, Place } from "./findings.ts";
import { MAX_DEPTH } from "./nesting.ts";

/** UTF-16 units of one event; more than this is told as an error and not held. */
export const MAX_ELEMENT_LENGTH = 4 * 1024 * 1024;

/** The element that is being scanned, from its first character to its last. */
export type OpenElement = {
  /** The line where it begins, 0 when there is none. */
  readonly line: () => number;
  /** Begins at an index of the current piece, unless it has begun. */
  readonly begin: (index: number, line: number) => void;
  /** It is nested deeper than MAX_DEPTH. */
  readonly tooDeep: () => void;
  /** Tells it with the text up to an index of the current piece. */
  readonly finish: (piece: string, end: number, place: Place) => void;
  /** Tells that it is broken. */
  readonly breakOff: (message: string) => void;
  /** Turns out to be none: its text up to an index of the current piece; `line` goes on. */
  readonly release: (piece: string, end: number) => string | null;
  /** There is none, or one whose text is not wanted and that begins at `line`. */
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
