import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT } from "../../json/scan.ts";
import { createNesting, MAX_DEPTH } from "./nesting.ts";
import {
  createOpenElement,
  type ElementPlace,
  type Findings,
  type ListName,
} from "./open-element.ts";

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

type Structure = {
  readonly findings: Findings;
  readonly nesting: ReturnType<typeof createNesting>;
  readonly element: ReturnType<typeof createOpenElement>;
  place: ElementPlace;
  /** The nesting depth of elements. */
  base: number;
  /** Inside an object whose list was there; such an object is not an element itself. */
  isEnvelope: boolean;
  isLinePerObject: boolean;
};

/** Which brackets are open, and which element begins and ends at them; faults as the scanner has them. */
export function createElementStructure(findings: Findings, nameBefore: () => string | null) {
  const nesting = createNesting();
  const element = createOpenElement(findings);
  const begun = { place: "document", base: 0, isEnvelope: false, isLinePerObject: false } as const;
  const at: Structure = { findings, nesting, element, ...begun };

  return {
    visit(code: number, mark: Mark): void {
      if (code === OPEN_OBJECT) openObject(at, mark);
      else if (code === OPEN_LIST) openList(at, mark, nameBefore);
      else if (code === CLOSE_OBJECT) closeObject(at, mark);
      else if (code === CLOSE_LIST) closeList(at, mark);
      else if (code === COMMA) comma(at, mark);
      else element.begin(mark.index, mark.line);
    },
    begin: element.begin,
    carry: element.carry,
    /** Outside all brackets. */
    isOutside: () => nesting.depth() === 0,
    /** Inside the outermost object, where a list may be named. */
    isAtMembers: () => nesting.depth() === 1 && at.base === 0,
    /** A line ends: so does an object, where objects stand one on a line. */
    lineEnd(): void {
      if (at.isLinePerObject && at.base === 0 && element.line() !== 0 && !at.isEnvelope) {
        breakOff(at, "the line ends inside this event");
      }
    },
    /** The text ends; its last element may be complete although its list is not. */
    end(line: number, isInString: boolean): void {
      if (at.base !== 0) {
        const isComplete = nesting.depth() === at.base && !isInString;
        if (element.line() !== 0 && isComplete) element.finish("", 0, at.place);
        else if (element.line() !== 0) findings.error(element.line(), CUT_OFF);
        findings.error(line, "the file ends before the list of events does");
      } else if (element.line() !== 0) {
        findings.error(element.line(), at.isEnvelope ? LIST_ONLY : CUT_OFF);
      }
    },
  };
}

function breakOff(at: Structure, message: string): void {
  at.element.breakOff(message);
  at.nesting.cut(at.base);
  at.isEnvelope = at.base !== 0;
}

function openObject(at: Structure, { piece, index, line, last }: Mark): void {
  const { element, nesting, findings } = at;
  if (element.line() !== 0 && !nesting.admits(last)) {
    if (nesting.depth() > at.base) breakOff(at, "is not closed: another object begins inside it");
    else if (last === CLOSE_OBJECT) {
      findings.warning(line, "a comma is missing before this event");
      element.finish(piece, index, at.place);
    }
  }
  element.begin(index, line);
  nesting.open(OPEN_OBJECT);
  if (nesting.depth() > MAX_DEPTH) element.tooDeep();
}

function openList(at: Structure, mark: Mark, nameBefore: () => string | null): void {
  const { element, nesting, findings } = at;
  const { piece, index, line, last } = mark;
  const isTop = nesting.depth() === 0;
  const isMember = nesting.depth() === 1 && at.base === 0 && last === COLON;
  const name = isMember ? nameBefore() : null;
  nesting.open(OPEN_LIST);
  if (isTop) enter(at, "list", null, line);
  else if (isListName(name)) {
    if (at.isEnvelope) findings.warning(line, `another list of ${name} begins here`);
    enter(at, name, at.isEnvelope ? null : element.release(piece, index), line);
    at.isEnvelope = true;
  } else element.begin(index, line);
  if (nesting.depth() > MAX_DEPTH) element.tooDeep();
}

function enter(at: Structure, place: ElementPlace, head: string | null, line: number): void {
  at.findings.list(place, head, line);
  at.place = place;
  at.base = at.nesting.depth();
  at.element.reset();
}

function closeObject(at: Structure, { piece, index, line }: Mark): void {
  const { element, nesting } = at;
  element.begin(index, line);
  if (!nesting.close(CLOSE_OBJECT, at.base)) return;
  if (at.base !== 0 || nesting.depth() !== 0) return;
  at.isLinePerObject = !at.isEnvelope && element.line() === line;
  if (at.isEnvelope) element.reset();
  else element.finish(piece, index + 1, at.place);
  at.isEnvelope = false;
}

function closeList(at: Structure, { piece, index, line, last }: Mark): void {
  const { element, nesting, findings } = at;
  if (nesting.close(CLOSE_LIST, at.base)) return;
  if (at.base === 0) return;
  if (element.line() !== 0) element.finish(piece, index, at.place);
  else if (last === COMMA) {
    findings.warning(line, "nothing stands between a comma and the list's end");
  }
  nesting.cut(at.base - 1);
  element.reset(at.base === 2 ? line : 0);
  at.base = 0;
  at.place = "document";
}

function comma(at: Structure, { piece, index, line }: Mark): void {
  const { element, nesting, findings } = at;
  if (at.base === 0 || nesting.depth() !== at.base) return;
  if (element.line() !== 0) element.finish(piece, index, at.place);
  else findings.warning(line, "nothing stands before this comma");
}

function isListName(name: string | null): name is ListName {
  return name === "events" || name === "features" || name === "catalog";
}
