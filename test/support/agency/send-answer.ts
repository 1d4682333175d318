import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable, type Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { GEOJSON_TAIL, geojsonHead, writeFeature } from "./comcat-geojson.ts";
import type { Fault } from "./fault.ts";
import type { ServedFormat } from "./fdsn-query.ts";
import { textHead, writeText } from "./geonet-text.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "./geonet-xml.ts";
import type { ServedEvent } from "./served-catalogue.ts";

/** The message around the events, as ISC's. */
const ISF_HEAD = "DATA_TYPE BULLETIN IMS1.0:short\nISC Bulletin\n";
const ISF_TAIL = "STOP\n";

const ORIGIN_HEADER =
  "   Date       Time        Err   RMS Latitude Longitude  Smaj  Smin  Az Depth   Err Ndef Nsta Gap  mdist  Mdist Qual   Author      OrigID\n";
const MAGNITUDE_HEADER = "Magnitude  Err Nsta Author      OrigID\n";
const PHASE_HEADER =
  "Sta     Dist  EvAz Phase        Time      TRes  Azim AzRes   Slow   SRes Def   SNR       Amp   Per Qual Magnitude    ArrID\n";

/** An event with its prime origin, its magnitude if it has one, and `phases` phases. */
function writeIsf({ row }: ServedEvent, phases: number): string {
  const id = String(row["source_id"]);
  const originId = id.slice(-8).padStart(8);
  const [date = "", time = ""] = String(row["time"]).replace("Z", "").split("T");
  const origin = line([
    [1, date.replaceAll("-", "/")],
    [12, time.slice(0, 11)],
    [37, fixed(row["latitude"], 4, 8)],
    [46, fixed(row["longitude"], 4, 9)],
    [72, fixed(row["depth"], 1, 5)],
    [115, " ke"],
    [119, "ISC"],
    [129, originId],
  ]);
  const magnitude = fixed(row["magnitude"], 1, 4);
  const magnitudes =
    magnitude === ""
      ? ""
      : `${MAGNITUDE_HEADER}${line([
          [1, "mb"],
          [7, magnitude],
          [21, "ISC"],
          [31, originId],
        ])}\n`;
  return (
    `Event ${id} ${row["region"] ?? "Unknown"}\n${ORIGIN_HEADER}${origin} (#PRIME)\n\n${magnitudes}` +
    `${PHASE_HEADER}${phasesOf(id, time, phases)}\n`
  );
}

function phasesOf(id: string, time: string, count: number): string {
  return Array.from({ length: count }, (_, i) =>
    line([
      [1, `S${i}`],
      [7, fixed(i + 0.5, 2, 6)],
      [20, "P"],
      [29, time.slice(0, 12)],
      [42, "  0.3"],
      [74, "T__"],
      [115, `${id}${i}`.slice(-8).padStart(8)],
    ]),
  ).join("");
}

function fixed(value: JsonValue | undefined, digits: number, width: number): string {
  return typeof value === "number" ? value.toFixed(digits).padStart(width) : "";
}

/** A line of fields, each at its column, counted from 1. */
function line(fields: readonly (readonly [number, string])[]): string {
  return `${fields.reduce((text, [column, field]) => text.padEnd(column - 1) + field, "")}\n`;
}

type AnswerForm = {
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
function* answerPieces(
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
function changedEvents(events: readonly ServedEvent[]): ServedEvent[] {
  return events.flatMap(({ row }, i) => {
    if (i % 5 === 0) return [];
    if (i % 3 === 0) return [{ row: { ...row, magnitude: 1.01, region: "before its revision" } }];
    return i % 7 === 0 ? [{ row }, { row: { ...row, source_id: `withdrawn${i}` } }] : [{ row }];
  });
}

export type SendOptions = AnswerForm & {
  readonly gzip: boolean;
  /** Whatever the format; by default the usual one. */
  readonly contentType?: string;
  /** The answer has a Content-Length; otherwise it comes in chunks. */
  readonly contentLength?: boolean;
};

const TEXT = "text/plain; charset=utf-8";
const CONTENT_TYPES = {
  xml: "application/xml",
  text: TEXT,
  isf: TEXT,
  geojson: "application/json; charset=utf-8",
};
const PAGE = "<!DOCTYPE html><html><body><h1>Please sign in</h1></body></html>\n";
/** Pieces that a dripping answer comes in. */
const DRIPS = 4;

type ErrorOptions = {
  readonly retryAfter?: string;
  readonly location?: string;
  /** With the blank lines of the standard, which GeoNet leaves out. */
  readonly spaced?: boolean;
};

/** An error in the text form of FDSN; 204 and 404 are empty. */
export function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  { retryAfter, location, spaced = false }: ErrorOptions = {},
): void {
  const headers = {
    ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    ...(location !== undefined && { location }),
  };
  if (status === 204 || status === 404) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, "content-type": "text/plain" });
  const blocks = [
    `Error ${status}: ${message}`,
    message,
    "Usage details are available from /fdsnws/event/1",
    "Service version:\n1.1",
  ];
  response.end(`${blocks.join(spaced ? "\n\n" : "\n")}\n`);
}

/** Streams the events, or what the fault makes of them; memory does not grow with their number. */
export async function sendEvents(
  response: ServerResponse,
  events: readonly ServedEvent[],
  options: SendOptions,
  fault: Fault | null,
): Promise<void> {
  if (fault?.kind === "page") {
    const { contentType = "text/html; charset=utf-8" } = fault;
    response.writeHead(200, { "content-type": contentType }).end(PAGE);
    return;
  }
  const served = fault?.kind === "changed" ? changedEvents(events) : events;
  const bytes = bytesOf(response, served, options, fault);
  const whole = options.contentLength === true && fault === null ? await buffer(bytes) : null;
  // Without chunks and without a length, closing the connection is the end of the answer.
  if (fault?.kind === "closed") response.removeHeader("transfer-encoding");
  response.writeHead(200, {
    "content-type": options.contentType ?? CONTENT_TYPES[options.format],
    ...(options.gzip && { "content-encoding": "gzip" }),
    ...(fault?.kind === "shortened" && { "content-length": "100000000" }),
    ...(whole !== null && { "content-length": whole.length }),
  });
  const pieces = Readable.from(whole === null ? bytes : [whole], { objectMode: false });
  try {
    if (options.gzip) await pipeline(pieces, createGzip(), response);
    else await pipeline(pieces, response);
  } catch (error) {
    // Its client may leave at any time, and a fault may cut it.
    if (!response.destroyed) throw error;
  }
}

async function* bytesOf(
  response: ServerResponse,
  events: readonly ServedEvent[],
  form: AnswerForm,
  fault: Fault | null,
): AsyncGenerator<Buffer> {
  for (const piece of answerPieces(events, form, fault)) {
    if (piece === "cut") {
      await drained(response);
      if (fault?.kind === "reset") response.socket?.resetAndDestroy();
      else response.destroy();
      return;
    }
    if (piece === "stall") await once(response, "close");
    else if (fault?.kind === "drip") yield* dripping(Buffer.from(piece), fault.everyMs ?? 1);
    else yield Buffer.from(piece);
  }
}

async function* dripping(bytes: Buffer, everyMs: number): AsyncGenerator<Buffer> {
  const size = Math.max(1, Math.ceil(bytes.length / DRIPS));
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    await delay(everyMs);
  }
}

/** What was written has left this process. */
async function drained(writable: Writable): Promise<void> {
  while (writable.writableLength > 0 && !writable.destroyed) await nextTurn();
}
