import {
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
import type { Findings } from "./open-element.ts";
import { createStringScanner } from "./string-scanner.ts";

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
