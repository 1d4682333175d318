import { GEOJSON_TAIL, geojsonHead, writeFeature } from "./comcat-geojson.ts";
import type { Fault } from "./fault.ts";
import type { ServedFormat } from "./fdsn-query.ts";
import { textHead, writeText } from "./geonet-text.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "./geonet-xml.ts";
import { ISF_HEAD, ISF_TAIL, writeIsf } from "./isc-isf.ts";
import type { ServedEvent } from "./served-catalogue.ts";

export type AnswerForm = {
  readonly format: ServedFormat;
  readonly picks: number;
  /** Text as GeoNet rounds it. */
  readonly rounded: boolean;
  /** Text has the column of types. */
  readonly typed: boolean;
  /** The beginning of the XML document, up to its first event. */
  readonly xmlHead?: string;
  /** The last line of text has no line end. */
  readonly unended?: boolean;
};

const PIECE = 32 * 1024;

/** The pieces of an answer, with what the fault does to its text; "cut" where its connection breaks. */
export function* answerPieces(
  events: readonly ServedEvent[],
  form: AnswerForm,
  fault: Fault | null,
): Generator<string | "cut" | "stall"> {
  const write = writerOf(form);
  const half = Math.floor(events.length / 2);
  const separator = form.format === "geojson" ? "," : "";
  let piece = headOf(form, events.length);
  // An answer without events has a fault at its end.
  for (const [i, event] of (events.length > 0 ? events : [null]).entries()) {
    const element = event === null ? "" : write(event);
    const broken = i === half && fault !== null ? breakElement(element, form.format, fault) : null;
    if (broken !== null) {
      yield piece + broken.text;
      if (broken.then !== "end") yield broken.then;
      return;
    }
    piece += i === 0 ? element : separator + element;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  const text = piece + TAILS[form.format];
  yield form.unended === true ? text.trimEnd() : text;
}

const TAILS = { xml: XML_TAIL, isf: ISF_TAIL, text: "", geojson: GEOJSON_TAIL };

function writerOf({ format, picks, ...form }: AnswerForm): (event: ServedEvent) => string {
  const picksOf = (event: ServedEvent) => (picks === 0 ? 0 : (event.picks ?? picks));
  switch (format) {
    case "xml":
      return (event) => writeXml(event, picksOf(event));
    case "isf":
      return (event) => writeIsf(event, picksOf(event));
    case "text":
      return (event) => writeText(event, form);
    case "geojson":
      return writeFeature;
  }
}

function headOf({ format, xmlHead = XML_HEAD, typed }: AnswerForm, count: number): string {
  switch (format) {
    case "xml":
      return xmlHead;
    case "isf":
      return ISF_HEAD;
    case "text":
      return textHead(typed);
    case "geojson":
      return geojsonHead(count);
  }
}

type Broken = { readonly text: string; readonly then: "end" | "cut" | "stall" };

function breakElement(element: string, format: AnswerForm["format"], fault: Fault): Broken | null {
  // In text, within the coordinates: a row cut off in its last column is a row.
  const part = element.slice(0, format === "xml" ? element.length / 2 : 50);
  switch (fault.kind) {
    case "stall":
      return { text: part, then: "stall" };
    case "reset":
    case "changed":
    case "shortened":
      return { text: part, then: "cut" };
    case "truncated":
      return { text: part, then: "end" };
    case "closed":
    case "ended":
      return { text: element.trimEnd(), then: "end" };
    case "malformed":
      return {
        text: format === "xml" ? `${part}</magnitude></pick>${element}` : part,
        then: "end",
      };
    case "hang":
    case "late":
    case "dropped":
    case "drip":
    case "page":
    case "capped":
    case "status":
      return null;
    default: {
      const unknown: never = fault;
      throw new Error(`unknown fault: ${JSON.stringify(unknown)}`);
    }
  }
}

/** The events as they stood before the agency revised, withdrew and added some. */
export function changedEvents(events: readonly ServedEvent[]): ServedEvent[] {
  return events.flatMap(({ row }, i) => {
    if (i % 5 === 0) return [];
    if (i % 3 === 0) return [{ row: { ...row, magnitude: 1.01, region: "before its revision" } }];
    return i % 7 === 0 ? [{ row }, { row: { ...row, source_id: `withdrawn${i}` } }] : [{ row }];
  });
}
