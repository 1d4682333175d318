/** The roles of a character in plain markup, as bits. */
const TEXT = 1;
const VALUE = 2;
const NAME_START = 4;
const NAME = 8;
const BLANK = 16;

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const SPACE = 0x20;
const QUOTE = 0x22;
export const SLASH = 0x2f;
export const COLON = 0x3a;
export const LESS = 0x3c;
const EQUAL = 0x3d;
const GREATER = 0x3e;
const BRACKET = 0x5d;

/** Each attribute is compared with all before it: saxes reads tags with more. */
const MAX_ATTRIBUTES = 64;

const LETTERS = /[A-Za-z_]/;
const DIGITS = /[\d.-]/;
/** Markup, and characters that only one of XML 1.0 and 1.1 takes for a line break or refuses. */
const NOT_TEXT = /[^\t\u0020-\u007e\u00a0-\uffff]|[&<\]\u2028\ufffe\uffff]/;

/** The bits of every UTF-16 unit. Line feeds, which are counted, and `]` have no TEXT bit. */
const CHARACTERS: Uint8Array = Uint8Array.from({ length: 0x1_0000 }, (_, code) =>
  bitsOf(String.fromCharCode(code)),
);

function bitsOf(character: string): number {
  let bits = 0;
  if (!NOT_TEXT.test(character)) bits |= TEXT;
  if (character === "]" || (bits === TEXT && !/["\t]/.test(character))) bits |= VALUE;
  if (LETTERS.test(character)) bits |= NAME_START | NAME;
  if (DIGITS.test(character)) bits |= NAME;
  if (/[\t\n ]/.test(character)) bits |= BLANK;
  return bits;
}

/**
 * No markup goes on over it. Behind a text it keeps the index of every character that is looked at within the
 * text: code that has once looked beyond is slower for ever.
 */
export const TEXT_END = "\0";

export type PlainCursor = {
  /** With TEXT_END behind it. */
  readonly text: string;
  at: number;
  lineFeeds: number;
  /** Number of attributes of the last start tag; later entries are old. */
  attributes: number;
  readonly names: string[];
  readonly values: string[];
};

export function cursorAt(text: string, at: number): PlainCursor {
  return { text, at, lineFeeds: 0, attributes: 0, names: [], values: [] };
}

/** The name of the start tag at the cursor; "" when there is no plain one. */
export function readName(cursor: PlainCursor): string {
  const { text } = cursor;
  const from = cursor.at + 1;
  if (((CHARACTERS[text.charCodeAt(from)] ?? 0) & NAME_START) === 0) return "";
  let at = from + 1;
  while (((CHARACTERS[text.charCodeAt(at)] ?? 0) & NAME) !== 0) at++;
  cursor.at = at;
  return text.slice(from, at);
}

/** Reads on after the name of a start tag. */
export function readStartTag(cursor: PlainCursor): "open" | "closed" | "not plain" {
  const { text } = cursor;
  cursor.attributes = 0;
  if (text.charCodeAt(cursor.at) === GREATER) {
    cursor.at++;
    return "open";
  }
  if (!readAttributes(cursor)) return "not plain";
  const isClosed = text.charCodeAt(cursor.at) === SLASH;
  if (isClosed) cursor.at++;
  if (text.charCodeAt(cursor.at) !== GREATER) return "not plain";
  cursor.at++;
  return isClosed ? "closed" : "open";
}

export function readEndTag(cursor: PlainCursor, name: string): boolean {
  const from = cursor.at + 2;
  const to = from + name.length;
  cursor.at = to + 1;
  return cursor.text.startsWith(name, from) && cursor.text.charCodeAt(to) === GREATER;
}

/** Moves to the next `<`; false when something before it is not plain. */
export function passText(cursor: PlainCursor): boolean {
  const { text } = cursor;
  let { at } = cursor;
  for (; ; at++) {
    const code = text.charCodeAt(at);
    if (((CHARACTERS[code] ?? 0) & TEXT) !== 0) continue;
    if (code === LINE_FEED) cursor.lineFeeds++;
    // saxes refuses `]]>` in text.
    else if (code !== BRACKET || text.charCodeAt(at + 1) === BRACKET) break;
  }
  cursor.at = at;
  return text.charCodeAt(at) === LESS;
}

function readAttributes(cursor: PlainCursor): boolean {
  const { text, names, values } = cursor;
  let { at } = cursor;
  let count = 0;
  for (;;) {
    const blanks = at;
    for (; ((CHARACTERS[text.charCodeAt(at)] ?? 0) & BLANK) !== 0; at++) {
      if (text.charCodeAt(at) === LINE_FEED) cursor.lineFeeds++;
    }
    if (((CHARACTERS[text.charCodeAt(at)] ?? 0) & NAME_START) === 0) break;
    if (at === blanks || count === MAX_ATTRIBUTES) return false;
    const from = at;
    for (let code = text.charCodeAt(at); ; code = text.charCodeAt(at)) {
      if (((CHARACTERS[code] ?? 0) & NAME) === 0 && code !== COLON) break;
      at++;
    }
    const name = text.slice(from, at);
    if (name.startsWith("xmlns")) return false;
    for (let i = 0; i < count; i++) if (names[i] === name) return false;
    if (text.charCodeAt(at) !== EQUAL || text.charCodeAt(at + 1) !== QUOTE) return false;
    const valueFrom = at + 2;
    at = valueFrom;
    while (((CHARACTERS[text.charCodeAt(at)] ?? 0) & VALUE) !== 0) at++;
    if (text.charCodeAt(at) !== QUOTE) return false;
    names[count] = name;
    values[count++] = text.slice(valueFrom, at++);
  }
  cursor.attributes = count;
  cursor.at = at;
  return true;
}
