import { MAX_DEPTH } from "./nesting.ts";

/** Members whose lists contain events; `catalog` is CSEP's. */
export type ListName = "events" | "features" | "catalog";

/** Where an element stands: in a top-level list, in a member's list, or at the top level. */
export type ElementPlace = "list" | ListName | "document";

/** The scanner's findings in text order; a line is where an element begins. */
export type Findings = {
  /** The text of one element, which may not be valid JSON. */
  readonly element: (text: string, line: number, place: ElementPlace) => void;
  /** Start of a list of events; `head` is the enclosing object's part before it, or null. */
  readonly list: (place: ElementPlace, head: string | null, line: number) => void;
  readonly error: (line: number, message: string) => void;
  readonly warning: (line: number, message: string) => void;
};

/** Longest event in UTF-16 units; a longer one is reported as an error and not held. */
export const MAX_ELEMENT_LENGTH = 4 * 1024 * 1024;

/** The element being scanned, from its first character to its last. */
export function createOpenElement(findings: Pick<Findings, "element" | "error">) {
  const text = createCapture(MAX_ELEMENT_LENGTH);
  let startLine = 0;
  let isTooDeep = false;

  /** Closes without emitting; with `line`, opens an element there whose text is not needed. */
  function reset(line = 0): void {
    text.drop();
    startLine = line;
  }

  return {
    /** The line where it begins; 0 without an open element. */
    line: () => startLine,
    /** Starts an element at an index of the current piece, unless one is open. */
    begin(index: number, line: number): void {
      if (startLine !== 0) return;
      startLine = line;
      isTooDeep = false;
      text.begin(index);
    },
    /** Marks the element as nested deeper than MAX_DEPTH. */
    tooDeep(): void {
      isTooDeep = true;
    },
    /** Ends the element at an index of the current piece and emits it. */
    finish(piece: string, end: number, place: ElementPlace): void {
      const complete = text.take(piece, end);
      if (isTooDeep) findings.error(startLine, `is nested deeper than ${MAX_DEPTH} levels`);
      else if (complete !== null) findings.element(complete, startLine, place);
      else findings.error(startLine, `is longer than ${MAX_ELEMENT_LENGTH} characters`);
      startLine = 0;
    },
    /** Reports the element as broken. */
    breakOff(message: string): void {
      findings.error(startLine, message);
      reset();
    },
    /** Drops an element that turned out to be an envelope; returns its text, and keeps `line`. */
    release: text.take,
    reset,
    carry: text.carry,
  };
}

/** A stretch of a text in pieces, at most `maxLength` UTF-16 units; a longer one is dropped. */
export function createCapture(maxLength: number) {
  let start = -1;
  let head = "";
  let tooLong = false;

  function drop(): void {
    start = -1;
    head = "";
    tooLong = false;
  }

  return {
    /** Starts at an index of the current piece. */
    begin(index: number): void {
      drop();
      start = index;
    },
    /** Ends the stretch at an index of the current piece and returns it; null when it was too long. */
    take(piece: string, end: number): string | null {
      const complete = !tooLong && start !== -1 && head.length + end - start <= maxLength;
      const text = complete ? head + piece.slice(start, end) : null;
      drop();
      return text;
    },
    drop,
    /** Called at the end of a piece: an open stretch continues in the next one. */
    carry(piece: string): void {
      if (start === -1) return;
      tooLong ||= head.length + piece.length - start > maxLength;
      head = tooLong ? "" : head + piece.slice(start);
      start = 0;
    },
  };
}
