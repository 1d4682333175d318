import { isIsf } from "../isf/reader.ts";
import { callbackLength, leadingBlanks } from "../json/scanner.ts";
import { isHypodd } from "../lines/hypodd.ts";
import { isNdk } from "../lines/ndk.ts";
import { isNonlinloc } from "../nonlinloc/reader.ts";
import { isNordic } from "../nordic/reader.ts";

/** The family of formats that one reader handles. */
export type FormatFamily =
  | "delimited"
  | "json"
  | "quakeml"
  | "scml"
  | "isf"
  | "ndk"
  | "nonlinloc"
  | "hypodd"
  | "nordic";

type Detected =
  | { readonly family: FormatFamily }
  | { readonly family: null; readonly reason: string };

/** Root elements of QuakeML documents, and of documents with its content alone. */
const QUAKEML_ROOTS = new Set(["quakeml", "eventparameters"]);
const SCML_ROOT = "seiscomp";

/** Formats of lines that are no tables, by what their first lines show. */
const FORMATS_OF_LINES = [
  ["isf", isIsf],
  ["ndk", isNdk],
  ["nonlinloc", isNonlinloc],
  ["hypodd", isHypodd],
  ["nordic", isNordic],
] as const;
const FIRST_LINES = 100;

/** Documents of which a part is text: how they begin, and what they are. */
const DOCUMENTS = [
  ["%PDF-", "the file is a PDF document"],
  ["{\\rtf", "the file is an RTF document"],
  ["%!PS", "the file is a PostScript document"],
] as const;

const MAX_CONTROL_SHARE = 0.05;

const NOT_BLANK = /\S/g;
/** Requires one more character, since a name at the end of the text may be incomplete. */
const ROOT = /<(?:[\w.-]+:)?([\w.-]+)(?=[^\w.:-])/y;

/** Markup that may precede the root element: how it begins and how it ends. */
const PROLOGUE = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!", ">"],
] as const;

/** A file name's extension, lower case, without the dot; "" without one. */
export function extensionOf(fileName: string): string {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
}

/**
 * The family of a file, by its content alone.
 * @param sample the beginning of the file's text
 */
export function detectFormat(sample: string): Detected {
  const document = DOCUMENTS.find(([begin]) => sample.startsWith(begin));
  if (document !== undefined) return { family: null, reason: document[1] };
  if (isBinary(sample)) return { family: null, reason: "the file is not text" };
  const family = familyOf(sample);
  return family === null ? { family, reason: "the XML is neither QuakeML nor SCML" } : { family };
}

/** Text has no NUL and few other control characters (those before TAB, and from SO to ESC). */
function isBinary(sample: string): boolean {
  let controls = 0;
  for (let i = 0; i < sample.length; i++) {
    const code = sample.charCodeAt(i);
    if (code === 0) return true;
    if (code < 0x09 || (code > 0x0d && code < 0x1c)) controls += 1;
  }
  return controls > sample.length * MAX_CONTROL_SHARE;
}

function familyOf(text: string): FormatFamily | null {
  const sample = text.slice(leadingBlanks(text));
  if (/^[{[]/.test(sample) || callbackLength(sample) > 0) return "json";
  if (!sample.startsWith("<")) return formatOfLines(text);
  const root = xmlRoot(sample);
  // A root element beyond the sample is checked by the reader.
  if (root === undefined || QUAKEML_ROOTS.has(root)) return "quakeml";
  if (root === SCML_ROOT) return "scml";
  // Bulletins come in web pages, too.
  return formatOfLines(text) === "isf" ? "isf" : null;
}

/** Blanks count in them, also those at the beginning. */
function formatOfLines(text: string): FormatFamily {
  const lines = text.split(/\r\n?|\n/, FIRST_LINES);
  return FORMATS_OF_LINES.find(([, fits]) => fits(lines))?.[0] ?? "delimited";
}

/**
 * The root element's name without prefix, lower case; undefined when `text`, the beginning of a
 * document, does not reach it. Every character is examined a fixed number of times. Comments are not
 * matched by a pattern, because one with two ways to end a comment would try all combinations.
 */
function xmlRoot(text: string): string | undefined {
  let at = pastBlanks(text, 0);
  for (;;) {
    const part = PROLOGUE.find(([begin]) => text.startsWith(begin, at));
    if (part === undefined) break;
    const [begin, end] = part;
    const until = text.indexOf(end, at + begin.length);
    if (until === -1) return undefined;
    at = pastBlanks(text, until + end.length);
  }
  ROOT.lastIndex = at;
  return ROOT.exec(text)?.[1]?.toLowerCase();
}

function pastBlanks(text: string, from: number): number {
  NOT_BLANK.lastIndex = from;
  return NOT_BLANK.exec(text)?.index ?? text.length;
}
