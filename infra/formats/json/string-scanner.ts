import { BACKSLASH, NEWLINE, QUOTE } from "../../json/scan.ts";

/** Longer names cannot be one of those searched for. */
const MAX_NAME_LENGTH = 256;

/**
 * Skips the strings of a JSON text in pieces. A line end also ends a string, because JSON allows
 * none inside; so a missing quote affects only its line.
 */
export type StringScanner = {
  readonly isOpen: () => boolean;
  /** Opens a string whose first character is at `index`; a name is kept until the next one. */
  readonly open: (index: number, isName: boolean) => void;
  /** The index after the string's end, or the end of the piece; `units` are those of the piece. */
  readonly scan: (piece: string, units: Uint16Array, from: number) => number;
  readonly carry: (piece: string) => void;
  /** The last name; null when it was incomplete or too long. */
  readonly name: () => string | null;
};

export function createStringScanner(): StringScanner {
  const raw = createCapture(MAX_NAME_LENGTH);
  let isOpen = false;
  let isName = false;
  let isEscaped = false;
  let name: string | null = null;

  function end(piece: string, index: number): void {
    isOpen = false;
    if (!isName) return;
    isName = false;
    name = unescaped(raw.take(piece, index));
  }

  return {
    isOpen: () => isOpen,
    open(index, asName) {
      isOpen = true;
      isEscaped = false;
      isName = asName;
      if (asName) raw.begin(index);
    },
    scan(piece, units, from) {
      const length = piece.length;
      let i = from;
      if (isEscaped && units[i] !== NEWLINE) i++;
      isEscaped = false;
      for (; i < length; i++) {
        const code = units[i] ?? 0;
        if (code > BACKSLASH || (code !== QUOTE && code !== BACKSLASH && code !== NEWLINE))
          continue;
        if (code === BACKSLASH) {
          if (i + 1 === length) isEscaped = true;
          else if (units[i + 1] !== NEWLINE) i++;
          continue;
        }
        end(piece, i);
        return code === QUOTE ? i + 1 : i;
      }
      return length;
    },
    carry: (piece) => raw.carry(piece),
    name: () => name,
  };
}

/** Null for an invalid string, which the element's parser will report. */
function unescaped(raw: string | null): string | null {
  if (raw === null || !raw.includes("\\")) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return null;
  }
}

/** A stretch of a text in pieces, collected until it is complete. */
type Capture = {
  /** Starts at an index of the current piece. */
  readonly begin: (index: number) => void;
  /** Ends the stretch at an index of the current piece and returns it; null when it was too long. */
  readonly take: (piece: string, end: number) => string | null;
  readonly drop: () => void;
  /** Called at the end of a piece: an open stretch continues in the next one. */
  readonly carry: (piece: string) => void;
};

/** Holds at most `maxLength` UTF-16 units; longer stretches are dropped. */
export function createCapture(maxLength: number): Capture {
  let start = -1;
  let held = "";
  let tooLong = false;

  function drop(): void {
    start = -1;
    held = "";
    tooLong = false;
  }

  return {
    begin(index) {
      drop();
      start = index;
    },
    take(piece, end) {
      const complete = !tooLong && start !== -1 && held.length + end - start <= maxLength;
      const text = complete ? held + piece.slice(start, end) : null;
      drop();
      return text;
    },
    drop,
    carry(piece) {
      if (start === -1) return;
      if (tooLong || held.length + piece.length - start > maxLength) {
        tooLong = true;
        held = "";
      } else held += piece.slice(start);
      start = 0;
    },
  };
}
