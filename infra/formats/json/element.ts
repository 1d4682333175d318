import { parse } from "secure-json-parse";
import { BACKSLASH, QUOTE } from "../../json/json.ts";

/** The value of an element and the changes that were needed to parse it, or why it has none. */
type ParsedElement =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The parsed text: that of the element, with the needed changes. */
      readonly text: string;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

const NO_WARNINGS: readonly string[] = [];

/** The position in V8's messages, in UTF-16 units of the parsed text. */
const POSITION = /at position (\d+)/;

/**
 * Parses one element. `NaN` and `Infinity`, which are not JSON but written by Python and others,
 * become null; members that would set a prototype (`__proto__`, `constructor.prototype`) are left
 * out. Of several members with one name the last counts, as in every parser.
 */
export function parseElement(text: string): ParsedElement {
  try {
    return { ok: true, text, ...parseSafely(text) };
  } catch (error) {
    return parseNotFinite(text) ?? { ok: false, message: faultOf(error) };
  }
}

function parseSafely(text: string): { value: unknown; warnings: readonly string[] } {
  // Cheaper than a search for the names themselves, whose letters may be escaped.
  const isSuspect = text.includes("proto") || text.includes("\\u");
  if (!isSuspect) return { value: JSON.parse(text), warnings: NO_WARNINGS };
  try {
    const refuse = { protoAction: "error", constructorAction: "error" } as const;
    return { value: parse(text, refuse), warnings: NO_WARNINGS };
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("forbidden prototype"))) throw error;
    const value: unknown = parse(text, { protoAction: "remove", constructorAction: "remove" });
    return { value, warnings: ["a member that would set a prototype is left out"] };
  }
}

function parseNotFinite(text: string): ParsedElement | null {
  const finite = withoutNotFinite(text);
  if (finite === text) return null;
  try {
    const { value, warnings } = parseSafely(finite);
    return {
      ok: true,
      value,
      text: finite,
      warnings: [...warnings, "NaN or Infinity is not JSON and is read as null"],
    };
  } catch {
    return null;
  }
}

/** Replaces `NaN`, `Infinity` and `-Infinity` outside strings by null. */
function withoutNotFinite(text: string): string {
  let result = "";
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote === -1 ? text.length : quote;
    result += text.slice(at, end).replace(/\bNaN\b|-?\bInfinity\b/g, "null");
    at = endOfString(text, end);
    result += text.slice(end, at);
  }
  return result;
}

/** The index after the string that begins at `quote`. */
function endOfString(text: string, quote: number): number {
  for (let i = quote + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code === BACKSLASH) i++;
  }
  return text.length;
}

/** The parser's own message may quote the text. */
function faultOf(error: unknown): string {
  const place = POSITION.exec(error instanceof Error ? error.message : "")?.[1];
  return place === undefined
    ? "is not valid JSON"
    : `is not valid JSON (at its character ${Number(place) + 1})`;
}
