import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from "../../json/json.ts";

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

const CUT_OFF = "the file ends inside this event";
const LIST_ONLY = "the file ends after its events, before their object does";

/** A character that is not blank: where it stands, and what was before it. */
type Mark = {
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
function createElementStructure(findings: Findings, nameBefore: () => string | null) {
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

/** Members whose lists contain events; `catalog` is CSEP's. */
type ListName = "events" | "features" | "catalog";

/** Where an element stands: in a top-level list, in a member's list, or at the top level. */
export type ElementPlace = "list" | ListName | "document";

/** The scanner's findings in text order; a line is where an element begins. */
type Findings = {
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
function createOpenElement(findings: Pick<Findings, "element" | "error">) {
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
function createCapture(maxLength: number) {
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

/** Levels of nesting that are tracked; deeper ones are only counted. */
export const MAX_DEPTH = 64;

/** The open brackets at a place in a JSON text. */
function createNesting() {
  const brackets = new Uint8Array(MAX_DEPTH + 1);
  let depth = 0;

  return {
    depth: () => depth,
    /** Whether a value may start after a character; beyond MAX_DEPTH always true. */
    admits(last: number): boolean {
      const innermost = depth > MAX_DEPTH ? 0 : brackets[depth];
      if (innermost === OPEN_OBJECT) return last === COLON;
      return innermost !== OPEN_LIST || last === COMMA || last === OPEN_LIST;
    },
    open(bracket: number): void {
      depth++;
      if (depth <= MAX_DEPTH) brackets[depth] = bracket;
    },
    /**
     * Closes the innermost bracket of the kind above `base`, and those inside; false without one.
     */
    close(bracket: number, base: number): boolean {
      if (depth > MAX_DEPTH) {
        depth--;
        return true;
      }
      const opening = bracket === CLOSE_LIST ? OPEN_LIST : OPEN_OBJECT;
      for (let level = depth; level > base; level--) {
        if (brackets[level] !== opening) continue;
        depth = level - 1;
        return true;
      }
      return false;
    },
    /** Drops the open brackets above `base`. */
    cut(base: number): void {
      depth = base;
    },
  };
}

/** More than a call and the blanks in it have. */
const MAX_CALL = 256;
/** JSON as a script: a function's name, and the bracket before its argument. */
const CALLBACK = /^[\w$.]{1,100}\s{0,10}\((?=\s{0,100}[{[])/;

/** How much of a text that begins with a function's call comes before its argument; 0 for others. */
export function callbackLength(text: string): number {
  const start = leadingBlanks(text);
  const call = CALLBACK.exec(text.slice(start, start + MAX_CALL))?.[0];
  return call === undefined ? 0 : start + call.length;
}

/** The length of the blanks in front, and of the mark that begins each text of a sequence (RFC 8142). */
export function leadingBlanks(text: string): number {
  let at = 0;
  while (at < text.length && (text.charCodeAt(at) <= SPACE || text.charCodeAt(at) === MARK)) at++;
  return at;
}
