const NOT_BLANK = /\S/g;
/** With the character after it: a name at the end of the text may go on. */
const ROOT = /<(?:[\w.-]+:)?([\w.-]+)(?=[^\w.:-])/y;

/** What may stand before the root element, by its first characters: with which it ends. */
const PROLOGUE = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!", ">"],
] as const;

/**
 * The name of the root element without its prefix, in lower case; undefined when `text`, the beginning
 * of a document, does not reach it. Each character is looked at a fixed number of times: no pattern
 * decides where a comment ends, because one that may end it in two ways tries all of their combinations.
 */
export function xmlRoot(text: string): string | undefined {
  let at = pastBlanks(text, 0);
  for (;;) {
    const part = PROLOGUE.find(([begin]) => text.startsWith(begin, at));
    if (part === undefined) break;
    const [begin, end] = part;
    const found = text.indexOf(end, at + begin.length);
    if (found === -1) return undefined;
    at = pastBlanks(text, found + end.length);
  }
  ROOT.lastIndex = at;
  return ROOT.exec(text)?.[1]?.toLowerCase();
}

function pastBlanks(text: string, from: number): number {
  NOT_BLANK.lastIndex = from;
  return NOT_BLANK.exec(text)?.index ?? text.length;
}
