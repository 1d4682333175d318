import type { Dialect } from "./dialect.ts";
import { afterLineEnd, countLineEnds, createMarkFinder } from "./line-ends.ts";
import { findRecordEnd } from "./quoted-record.ts";

/** In characters. No event is longer: 64 KiB of `extra` and of mechanisms fit in many times. */
export const MAX_RECORD_LENGTH = 4 * 1024 * 1024;
/** New text is held back until it is this part of what waits: the work stays linear in all text. */
const REGROWTH = 16;

const COMMENT = 35;
const CR = 13;

/** What the cutter tells, in the order of the file; `line` is where a record begins. */
export type CutterSink = {
  /** A record without its line end. `quoted`: it holds quotes, and they are in order. */
  readonly record: (text: string, line: number, quoted: boolean) => void;
  readonly fault: (line: number, message: string) => void;
};

export type RecordCutter = {
  readonly write: (text: string) => void;
  readonly end: () => void;
};

/**
 * Cuts text into records. Lines end with LF, CRLF or CR; blank lines and lines that begin with `#`
 * are left out. After a fault the next record begins on the next line.
 */
export function createRecordCutter(
  dialect: Dialect,
  firstLine: number,
  sink: CutterSink,
): RecordCutter {
  let waiting = "";
  let held = "";
  let line = firstLine;
  /** In the midst of a line that is too long: nothing is kept of it. */
  let skipping = false;

  function cut(last: boolean): void {
    const text = waiting + held;
    held = "";
    const marks = createMarkFinder(text, last);
    let at = 0;
    while (at < text.length) {
      const lineEnd = marks.lineEnd(at);
      if (lineEnd === -1) break;
      if (dialect.quoting && !skipping && marks.quoteBefore(at, lineEnd) && !isComment(text, at)) {
        const next = cutQuoted(text, at, lineEnd, last);
        if (next === -1) break;
        at = next;
      } else {
        if (!skipping) tell(text, at, lineEnd, false);
        skipping = false;
        line++;
        at = afterLineEnd(text, lineEnd);
      }
    }
    waiting = text.slice(at);
    // One more, because a CR that waits for its LF belongs to no record.
    if (waiting.length > MAX_RECORD_LENGTH + 1 || skipping) skipLine();
  }

  /** The place after the record, or after its first line when it is faulty; −1 when it goes on. */
  function cutQuoted(text: string, at: number, lineEnd: number, last: boolean): number {
    const limit = at + MAX_RECORD_LENGTH + 1;
    const within = text.length > limit ? text.slice(0, limit) : text;
    const found = findRecordEnd(within, at, Math.min(lineEnd, within.length), dialect);
    switch (found.kind) {
      case "complete":
        // A CR at the end may be the first half of CRLF.
        if (!last && found.end === text.length - 1 && text.charCodeAt(found.end) === CR) return -1;
        return tellQuoted(text, at, found.end);
      case "unfinished":
        if (within !== text) return fault(text, lineEnd, tooLong());
        if (!last) return -1;
        if (!found.inQuotes) return tellQuoted(text, at, text.length);
        return fault(text, lineEnd, "opens a quote that is never closed");
      case "fault":
        return fault(text, lineEnd, found.message);
      default: {
        const unknown: never = found;
        throw new Error(`unknown end of a record: ${unknown}`);
      }
    }
  }

  function tellQuoted(text: string, at: number, end: number): number {
    tell(text, at, end, true);
    line += 1 + countLineEnds(text.slice(at, end));
    return afterLineEnd(text, end);
  }

  function fault(text: string, lineEnd: number, message: string): number {
    sink.fault(line, message);
    line++;
    return afterLineEnd(text, lineEnd);
  }

  function tell(text: string, at: number, end: number, quoted: boolean): void {
    if (end - at > MAX_RECORD_LENGTH) sink.fault(line, tooLong());
    else if (!isComment(text, at) && !isBlank(text, at, end)) {
      sink.record(text.slice(at, end), line, quoted);
    }
  }

  function skipLine(): void {
    if (!skipping) sink.fault(line, tooLong());
    skipping = true;
    waiting = waiting.endsWith("\r") ? "\r" : "";
  }

  return {
    write(text) {
      held += text;
      if (held.length * REGROWTH >= waiting.length) cut(false);
    },
    end: () => cut(true),
  };
}

function isComment(text: string, at: number): boolean {
  return text.charCodeAt(at) === COMMENT;
}

function isBlank(text: string, at: number, end: number): boolean {
  return text.charCodeAt(at) <= 32 ? text.slice(at, end).trim() === "" : at === end;
}

function tooLong(): string {
  return `is longer than ${MAX_RECORD_LENGTH} characters`;
}
