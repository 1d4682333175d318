import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from "../../json/scan.ts";
import { createNesting, MAX_DEPTH } from "./nesting.ts";
import { createOpenElement, type Findings, type ListName, type Place } from "./open-element.ts";
import { createStringScanner } from "./string-scanner.ts";

const MARK = 0xfeff;
/** `);` ends a function's call. */
const CLOSE_CALL = 0x29;
const END_CALL = 0x3b;

const CUT_OFF = "the file ends inside this event";
const LIST_ONLY = "the file ends after its events, before their object does";

/**
 * Finds the elements of a JSON document without parsing it: those of a top-level list, those of the
 * members `events`, `features` and `catalog` of an object, and one or more separate objects. It
 * examines only brackets, commas, colons and quotes, and a fault ends with its element:
 * - a bracket closes the innermost open one of its kind, and brackets left open inside are a fault;
 * - an opening brace in an impossible place starts the next element, because the last was not
 *   closed;
 * - if objects stand one on a line, the end of a line ends an object.
 */
export function createElementScanner(found: Findings) {
  const nesting = createNesting();
  const strings = createStringScanner();
  const element = createOpenElement(found);
  let line = 1;
  /** The last character that is not blank; for a string its quote. */
  let last = 0;
  let place: Place = "document";
  /** The nesting depth of elements. */
  let base = 0;
  /** Inside an object whose list was found; such an object is not an element itself. */
  let isEnvelope = false;
  let isLinePerObject = false;
  let isJunk = false;
  /** Inside a function's call, whose end is no fault. */
  let isWrapped = false;

  function breakOff(message: string): void {
    element.breakOff(message);
    nesting.cut(base);
    isEnvelope = base !== 0;
  }

  function newline(): void {
    if (isLinePerObject && base === 0 && element.line() !== 0 && !isEnvelope) {
      breakOff("the line ends inside this event");
    }
    line++;
    isJunk = false;
  }

  function openObject(piece: string, index: number): void {
    if (element.line() !== 0 && !nesting.admits(last)) {
      if (nesting.depth() > base) breakOff("is not closed: another object begins inside it");
      else if (last === CLOSE_OBJECT) {
        found.warning(line, "a comma is missing before this event");
        element.finish(piece, index, place);
      }
    }
    element.begin(index, line);
    nesting.open(OPEN_OBJECT);
    if (nesting.depth() > MAX_DEPTH) element.tooDeep();
  }

  function openList(piece: string, index: number): void {
    const isTop = nesting.depth() === 0;
    const isMember = nesting.depth() === 1 && base === 0 && last === COLON;
    const name = isMember ? strings.name() : null;
    nesting.open(OPEN_LIST);
    if (isTop) enter("list", null);
    else if (isListName(name)) {
      if (isEnvelope) found.warning(line, `another list of ${name} begins here`);
      enter(name, isEnvelope ? null : element.release(piece, index));
      isEnvelope = true;
    } else element.begin(index, line);
    if (nesting.depth() > MAX_DEPTH) element.tooDeep();
  }

  function enter(where: Place, head: string | null): void {
    found.list(where, head, line);
    place = where;
    base = nesting.depth();
    element.reset();
  }

  function closeObject(piece: string, index: number): void {
    element.begin(index, line);
    if (!nesting.close(CLOSE_OBJECT, base)) return;
    if (base !== 0 || nesting.depth() !== 0) return;
    isLinePerObject = !isEnvelope && element.line() === line;
    if (isEnvelope) element.reset();
    else element.finish(piece, index + 1, place);
    isEnvelope = false;
  }

  function closeList(piece: string, index: number): void {
    if (nesting.close(CLOSE_LIST, base)) return;
    if (base === 0) return;
    if (element.line() !== 0) element.finish(piece, index, place);
    else if (last === COMMA)
      found.warning(line, "nothing stands between a comma and the list's end");
    nesting.cut(base - 1);
    element.reset(base === 2 ? line : 0);
    base = 0;
    place = "document";
  }

  function comma(piece: string, index: number): void {
    if (base === 0 || nesting.depth() !== base) return;
    if (element.line() !== 0) element.finish(piece, index, place);
    else found.warning(line, "nothing stands before this comma");
  }

  /** Only brackets are allowed outside all brackets. */
  function outside(code: number): boolean {
    if (nesting.depth() !== 0 || code === OPEN_OBJECT || code === OPEN_LIST) return false;
    if (code !== MARK && !(isWrapped && (code === CLOSE_CALL || code === END_CALL))) {
      isJunk = true;
      found.error(line, "is neither an object nor a list");
    }
    return true;
  }

  function visit(piece: string, code: number, index: number): void {
    if (code === OPEN_OBJECT) openObject(piece, index);
    else if (code === OPEN_LIST) openList(piece, index);
    else if (code === CLOSE_OBJECT) closeObject(piece, index);
    else if (code === CLOSE_LIST) closeList(piece, index);
    else if (code === COMMA) comma(piece, index);
    else element.begin(index, line);
  }

  /** The last element may be complete although its list is not. */
  function endElement(): void {
    if (nesting.depth() === base && !strings.isOpen()) element.finish("", 0, place);
    else found.error(element.line(), CUT_OFF);
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
        if (code === NEWLINE) newline();
        else if (code > SPACE && !isJunk && !outside(code)) {
          if (code === QUOTE) {
            element.begin(i, line);
            strings.open(i + 1, nesting.depth() === 1 && base === 0 && last !== COLON);
          } else visit(piece, code, i);
          last = code;
        }
      }
      element.carry(piece);
      strings.carry(piece);
    },
    end(): void {
      if (base !== 0) {
        if (element.line() !== 0) endElement();
        found.error(line, "the file ends before the list of events does");
      } else if (element.line() !== 0)
        found.error(element.line(), isEnvelope ? LIST_ONLY : CUT_OFF);
    },
  };
}

function isListName(name: string | null): name is ListName {
  return name === "events" || name === "features" || name === "catalog";
}
