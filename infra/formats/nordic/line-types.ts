import type { TextLine } from "../fixed-columns.ts";

const TYPE_COLUMN = 80;
/** A date, the kind of distance in column 22, and the type in the last column. */
const ORIGIN = /^ \d{4} [ \d]\d[ \d]\d.[ \d]{4}.[ \d.]{4}.[LRD].{57}1$/;
/** The headings of the phases of either version. */
const HEADING = /^ STAT (SP|COM NTLO) *IPHAS.*7$/;

/** The character in column 80, a blank for phases, which may be shorter. */
export function typeOf({ text }: TextLine): string {
  return text.charAt(TYPE_COLUMN - 1) || " ";
}

/** True for a line of type 1 that says when and how far away an event was. */
export function isOriginLine(text: string): boolean {
  return ORIGIN.test(text.trimEnd());
}

/** Which version of phases a heading is of, undefined for another line. */
export function versionIn(text: string): "old" | "new" | undefined {
  const columns = HEADING.exec(text.trimEnd())?.[1];
  if (columns === undefined) return undefined;
  return columns === "SP" ? "old" : "new";
}
