import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT } from "../../json/scan.ts";
import { createNesting, MAX_DEPTH } from "./nesting.ts";
import { createOpenElement, type Findings, type ListName, type Place } from "./open-element.ts";

const CUT_OFF = "the file ends inside this event";
const LIST_ONLY = "the file ends after its events, before their object does";

/** A character that is not blank: where it stands, and what was before it. */
export type Mark = {
  readonly piece: string;
  readonly index: number;
  readonly line: number;
  /** The last character before that is not blank; for a string its quote. */
  readonly last: number;
};

/** Which brackets are open, and which element begins and ends at them; faults as the scanner has them. */
export function createElementStructure(findings: Findings, nameBefore: () => string | null) {
  const nesting = createNesting();
  const element = createOpenElement(findings);
  let place: Place = "document";
  /** The nesting depth of elements. */
  let base = 0;
  /** Inside an object whose list was there; such an object is not an element itself. */
  let isEnvelope = false;
  let isLinePerObject = false;

  function breakOff(message: string): void {
    element.breakOff(message);
    nesting.cut(base);
    isEnvelope = base !== 0;
  }

  function openObject({ piece, index, line, last }: Mark): void {
    if (element.line() !== 0 && !nesting.admits(last)) {
      if (nesting.depth() > base) breakOff("is not closed: another object begins inside it");
      else if (last === CLOSE_OBJECT) {
        findings.warning(line, "a comma is missing before this event");
        element.finish(piece, index, place);
      }
    }
    element.begin(index, line);
    nesting.open(OPEN_OBJECT);
    if (nesting.depth() > MAX_DEPTH) element.tooDeep();
  }

  function openList({ piece, index, line, last }: Mark): void {
    const isTop = nesting.depth() === 0;
    const isMember = nesting.depth() === 1 && base === 0 && last === COLON;
    const name = isMember ? nameBefore() : null;
    nesting.open(OPEN_LIST);
    if (isTop) enter("list", null, line);
    else if (isListName(name)) {
      if (isEnvelope) findings.warning(line, `another list of ${name} begins here`);
      enter(name, isEnvelope ? null : element.release(piece, index), line);
      isEnvelope = true;
    } else element.begin(index, line);
    if (nesting.depth() > MAX_DEPTH) element.tooDeep();
  }

  function enter(where: Place, head: string | null, line: number): void {
    findings.list(where, head, line);
    place = where;
    base = nesting.depth();
    element.reset();
  }

  function closeObject({ piece, index, line }: Mark): void {
    element.begin(index, line);
    if (!nesting.close(CLOSE_OBJECT, base)) return;
    if (base !== 0 || nesting.depth() !== 0) return;
    isLinePerObject = !isEnvelope && element.line() === line;
    if (isEnvelope) element.reset();
    else element.finish(piece, index + 1, place);
    isEnvelope = false;
  }

  function closeList({ piece, index, line, last }: Mark): void {
    if (nesting.close(CLOSE_LIST, base)) return;
    if (base === 0) return;
    if (element.line() !== 0) element.finish(piece, index, place);
    else if (last === COMMA) {
      findings.warning(line, "nothing stands between a comma and the list's end");
    }
    nesting.cut(base - 1);
    element.reset(base === 2 ? line : 0);
    base = 0;
    place = "document";
  }

  function comma({ piece, index, line }: Mark): void {
    if (base === 0 || nesting.depth() !== base) return;
    if (element.line() !== 0) element.finish(piece, index, place);
    else findings.warning(line, "nothing stands before this comma");
  }

  return {
    visit(code: number, mark: Mark): void {
      if (code === OPEN_OBJECT) openObject(mark);
      else if (code === OPEN_LIST) openList(mark);
      else if (code === CLOSE_OBJECT) closeObject(mark);
      else if (code === CLOSE_LIST) closeList(mark);
      else if (code === COMMA) comma(mark);
      else element.begin(mark.index, mark.line);
    },
    begin: element.begin,
    carry: element.carry,
    /** Outside all brackets. */
    isOutside: () => nesting.depth() === 0,
    /** Inside the outermost object, where a list may be named. */
    isAtMembers: () => nesting.depth() === 1 && base === 0,
    /** A line ends: so does an object, where objects stand one on a line. */
    lineEnd(): void {
      if (isLinePerObject && base === 0 && element.line() !== 0 && !isEnvelope) {
        breakOff("the line ends inside this event");
      }
    },
    /** The text ends; its last element may be complete although its list is not. */
    end(line: number, isInString: boolean): void {
      if (base !== 0) {
        const isComplete = nesting.depth() === base && !isInString;
        if (element.line() !== 0 && isComplete) element.finish("", 0, place);
        else if (element.line() !== 0) findings.error(element.line(), CUT_OFF);
        findings.error(line, "the file ends before the list of events does");
      } else if (element.line() !== 0) {
        findings.error(element.line(), isEnvelope ? LIST_ONLY : CUT_OFF);
      }
    },
  };
}

function isListName(name: string | null): name is ListName {
  return name === "events" || name === "features" || name === "catalog";
}
