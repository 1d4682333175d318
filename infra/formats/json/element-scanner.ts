import {
  BACKSLASH,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from "../../json/scan.ts";
import { createElementStructure } from "./element-structure.ts";
import { createCapture, type Findings } from "./open-element.ts";

const MARK = 0xfeff;
/** What a brace has more than a bracket. */
const BRACE_BIT = 0x20;
/** `);` ends a function's call. */
const CLOSE_CALL = 0x29;
const END_CALL = 0x3b;

/**
 * Finds the elements of a JSON document without parsing it: those of a top-level list, those of the
 * members `events`, `features` and `catalog` of an object, and one or more separate objects. It
 * examines only brackets, commas, colons and quotes, and a fault ends with its element:
 * - a bracket closes the innermost open one of its kind, and brackets left open inside are a fault;
 * - an opening brace in an impossible place starts the next element, because the last was not
 *   closed;
 * - if objects stand one on a line, the end of a line ends an object.
 */
export function createElementScanner(findings: Findings) {
  const strings = createStringScanner();
  const structure = createElementStructure(findings, strings.name);
  let line = 1;
  /** The last character that is not blank; for a string its quote. */
  let last = 0;
  let isJunk = false;
  /** Inside a function's call, whose end is no fault. */
  let isWrapped = false;

  /** Only brackets are allowed outside all brackets. */
  function outside(code: number): boolean {
    if (!structure.isOutside() || code === OPEN_OBJECT || code === OPEN_LIST) return false;
    if (code !== MARK && !(isWrapped && (code === CLOSE_CALL || code === END_CALL))) {
      isJunk = true;
      findings.error(line, "is neither an object nor a list");
    }
    return true;
  }

  return {
    unwrap(): void {
      isWrapped = true;
    },
    write(piece: string): void {
      for (let i = 0; i < piece.length; i++) {
        if (strings.isOpen()) i = strings.scan(piece, i);
        // Also after a string that a line end has ended.
        const code = piece.charCodeAt(i);
        if (code === NEWLINE) {
          structure.lineEnd();
          line++;
          isJunk = false;
        } else if (code > SPACE && !isJunk && !outside(code)) {
          if (code === QUOTE) {
            structure.begin(i, line);
            strings.open(i + 1, structure.isAtMembers() && last !== COLON);
          } else if (isStructural(code)) structure.visit(code, { piece, index: i, line, last });
          else structure.begin(i, line);
          last = code;
        }
      }
      structure.carry(piece);
      strings.carry(piece);
    },
    end: () => structure.end(line, strings.isOpen()),
  };
}

/** Brackets and commas; all other characters only begin an element. */
function isStructural(code: number): boolean {
  return (
    (code | BRACE_BIT) === OPEN_OBJECT || (code | BRACE_BIT) === CLOSE_OBJECT || code === COMMA
  );
}

/** Longer names cannot be one of those searched for. */
const MAX_NAME_LENGTH = 256;

/** Skips strings in pieces. A line end ends one too: a missing quote affects only its line. */
function createStringScanner() {
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
