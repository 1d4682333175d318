/** The roles of a character in plain markup, as bits. */
export const TEXT = 1;
export const VALUE = 2;
export const NAME_START = 4;
export const NAME = 8;
export const BLANK = 16;

export const TAB = 0x09;
export const LINE_FEED = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const SLASH = 0x2f;
export const COLON = 0x3a;
export const LESS = 0x3c;
export const EQUAL = 0x3d;
export const GREATER = 0x3e;
export const BRACKET = 0x5d;

const LETTERS = /[A-Za-z_]/;
const DIGITS = /[\d.-]/;
/** Markup, and characters that only one of XML 1.0 and 1.1 takes for a line break or refuses. */
const NOT_TEXT = /[^\t\u0020-\u007e\u00a0-\uffff]|[&<\]\u2028\ufffe\uffff]/;

/**
 * The bits of every UTF-16 unit; surrogates are text. The line feed and `]` have no TEXT bit, since
 * line feeds are counted and `]` is examined.
 */
export const CHARACTERS: Uint8Array = Uint8Array.from({ length: 0x1_0000 }, (_, code) =>
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
