import type { Fault } from "./fault.ts";
import type { ServedFormat } from "./fdsn-query.ts";
import { TEXT_HEAD, writeText } from "./geonet-text.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "./geonet-xml.ts";
import { ISF_HEAD, ISF_TAIL, writeIsf } from "./isc-isf.ts";
import type { ServedEvent } from "./served-catalogue.ts";

export type AnswerForm = {
  readonly format: ServedFormat;
  readonly picks: number;
  /** Text as GeoNet rounds it. */
  readonly rounded: boolean;
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
  let piece = headOf(form);
  // An answer without events has a fault at its end.
  for (const [i, event] of (events.length > 0 ? events : [null]).entries()) {
    const element = event === null ? "" : write(event);
    const broken = i === half && fault !== null ? breakElement(element, form.format, fault) : null;
    if (broken !== null) {
      yield piece + broken.text;
      if (broken.then !== "end") yield broken.then;
      return;
    }
    piece += element;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (form.format === "xml") yield piece + XML_TAIL;
  else if (form.format === "isf") yield piece + ISF_TAIL;
  else yield form.unended === true ? piece.trimEnd() : piece;
}

function writerOf({ format, picks, rounded }: AnswerForm): (event: ServedEvent) => string {
  switch (format) {
    case "xml":
      return (event) => writeXml(event, picks);
    case "isf":
      return (event) => writeIsf(event, picks);
    case "text":
      return (event) => writeText(event, rounded);
  }
}

function headOf({ format, xmlHead = XML_HEAD }: AnswerForm): string {
  return { xml: xmlHead, isf: ISF_HEAD, text: TEXT_HEAD }[format];
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
