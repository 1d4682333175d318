import { detectFormat, type FormatFamily } from "../formats/files/detect-format.ts";
import type { AnswerFormat } from "./dialects.ts";

const PAGE = /<(?:!doctype\s|)html[\s>]/i;

const FAMILIES: Readonly<Record<AnswerFormat, FormatFamily>> = {
  xml: "quakeml",
  isf: "isf",
  text: "delimited",
  geojson: "json",
};

/** What a table is where another format was asked for. */
const DELIMITED: Readonly<Record<AnswerFormat, string>> = {
  xml: "text that is no XML",
  isf: "text that is no bulletin",
  text: "text",
  geojson: "text that is no JSON",
};

/**
 * Names the kind of an answer's content when it is not the requested one, else null. Only the
 * beginning of the text counts: agencies send QuakeML as text/plain and FDSN text as text/html, and
 * their proxies send error pages under any content type.
 */
export function foreignContent(format: AnswerFormat, beginning: string): string | null {
  if (beginning.trim() === "") return null;
  const { family } = detectFormat(beginning);
  if (family === FAMILIES[format]) return null;
  const isMarkup = beginning.trimStart().startsWith("<");
  if (isMarkup && PAGE.test(beginning)) return "a web page";
  switch (family) {
    case "quakeml":
      return "XML";
    case "json":
      return "JSON";
    case "delimited":
      return DELIMITED[format];
    case "isf":
    case "ndk":
    case "nonlinloc":
    case "hypodd":
    case "nordic":
      return "a bulletin in another format";
    case "scml":
    case null:
      return isMarkup ? "XML that is not QuakeML" : "something that is not text";
  }
}
