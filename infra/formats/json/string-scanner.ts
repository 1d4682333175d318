import { BACKSLASH, NEWLINE, QUOTE } from "../../json/scan.ts";
import { createCapture } from "./open-element.ts";

/** Longer names cannot be one of those searched for. */
const MAX_NAME_LENGTH = 256;

/** Skips strings in pieces. A line end ends one too: a missing quote affects only its line. */
export function createStringScanner() {
  const raw = createCapture(MAX_NAME_LENGTH);
  let isOpen = false;
  let isName = false;
  let isEscaped = false;
  let name: string | null = null;

  return {
    isOpen: () => isOpen,
    /** Opens a string whose first character is at `index`; a name is kept until the next one. */
    open(index: number, asName: boolean): void {
      isOpen = true;
      isEscaped = false;
      isName = asName;
      if (asName) raw.begin(index);
    },
    /** The index after the string's end, or the end of the piece. */
    scan(piece: string, from: number): number {
      for (let i = from; i < piece.length; i++) {
        const code = piece.charCodeAt(i);
        const wasEscaped = isEscaped && code !== NEWLINE;
        isEscaped = false;
        if (wasEscaped) continue;
        if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE || code === NEWLINE) {
          isOpen = false;
          if (isName) name = unescaped(raw.take(piece, i));
          return code === QUOTE ? i + 1 : i;
        }
      }
      return piece.length;
    },
    carry: raw.carry,
    /** The last name; null when it was incomplete or too long. */
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
