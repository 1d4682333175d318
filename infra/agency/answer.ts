/** An answer of an agency, by its status and in any format that it may send. */

import { hash } from "node:crypto";
import { countElements, type ElementCounts } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { Refusal } from "#contracts/errors.ts";
import { type Field, meaningOf } from "#contracts/seismic-event/names.ts";
import { type EventIds, idsIn, idsOf } from "#contracts/seismic-event/public-ids.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { MIB } from "#contracts/units.ts";
import {
  BulletinTooLarge,
  type PackedBulletin,
  packBulletin,
  packedBytes,
} from "../bulletins/packed-bulletin.ts";
import { openedFile } from "../files/opened-file.ts";
import { createDelimitedReader } from "../formats/delimited/reader.ts";
import {
  createFileDecoder,
  detectFormat,
  type FileDecoder,
  type FormatFamily,
} from "../formats/files/file-reader.ts";
import type { FormatReader, RowSink } from "../formats/format-reader.ts";
import { createIsfReader } from "../formats/isf/reader.ts";
import { createJsonReader } from "../formats/json/reader.ts";
import { createQuakemlReader } from "../formats/quakeml/reader.ts";
import type { Steps } from "../kernel/iteration.ts";
import {
  AgencyError,
  AgencyUnavailable,
  agencyText,
  beginningOf,
  type HttpAnswer,
  refusalIn,
} from "./http/exchange.ts";
import { type AnswerFormat, FORMAT_NAMES } from "./query.ts";

/** What an answer contains. */
export type ReadAnswer =
  | {
      readonly kind: "events";
      readonly events: readonly AnsweredEvent[];
      readonly unreadable: readonly UnreadableRow[];
    }
  /** More events than the agency returns at once. */
  | { readonly kind: "tooMuch" };

export type AnswerOptions = {
  /** The agency's name, for error messages. */
  readonly name: string;
  readonly format: AnswerFormat;
  /** An answer with this many rows is taken to be cut off by the agency's limit. */
  readonly cap: number;
  readonly now: () => number;
  /** Of an answer as it is read: several times what so many events take, and what a window is made for. */
  readonly maxMiB?: number;
};

const NOTHING: ReadAnswer = { kind: "events", events: [], unreadable: [] };
/** Whole events wait in memory: so many of usual size, however many the agency gives at once. */
const MAX_WEIGHT = 10_000;
const MAX_MIB = 256;
/** Nothing, or the error text of FDSN Web Service Specification 1.1, p. 3. */
const NO_DATA_TEXT = /^\s*(?:$|Error 404\b)/i;

/** USGS refuses too large requests with 400: "… matching events exceeds search limit of …". */
const TOO_MUCH_TEXT = /exceeds? (?:the )?(?:search )?limit/i;

/**
 * Reads an answer by its status: 204 means no events, and so does 404 with an empty body or the
 * standard's error text, while a page is what a wrong address answers; 413 means too many. An answer
 * with `cap` rows, or with bulletins as large as of so many usual ones, also means too many, and the rest
 * of it is not read.
 * @throws AgencyUnavailable for 5xx, 429 and an answer that ends too early; AgencyError for any
 * other unusable answer, also one that cannot be read to its end, since the missing events cannot be
 * told from events that do not exist
 */
export async function readAnswer(answer: HttpAnswer, options: AnswerOptions): Promise<ReadAnswer> {
  const { status } = answer;
  if (status === 200) return readEvents(answer, options);
  if (status === 204) return NOTHING;
  if (status === 413) return { kind: "tooMuch" };
  const text = await beginningOf(answer);
  if (status === 404 && NO_DATA_TEXT.test(text)) return NOTHING;
  if (status === 400 && TOO_MUCH_TEXT.test(text)) return { kind: "tooMuch" };
  throw refusalIn(answer, text, options);
}

async function readEvents(
  { headers, body }: HttpAnswer,
  { name, format, cap, maxMiB = MAX_MIB }: AnswerOptions,
): Promise<ReadAnswer> {
  const events: AnsweredEvent[] = [];
  let weight = 0;
  const unreadable: UnreadableRow[] = [];
  let first: AnswerFault | null = null;
  const reader = createAnswerReader(format, {
    event(event) {
      events.push(event);
      weight += weightOf(event);
    },
    unreadable: (row) => unreadable.push(row),
    fault: (fault) => {
      first ??= fault;
    },
  });
  const throwFault = () => {
    if (first !== null) throw errorOf(first, name, format);
  };
  /** Whole events wait in memory, so there is a limit to their size too; one alone has its own. */
  const maxWeight = Math.min(cap, MAX_WEIGHT);
  const isTooMuch = () => {
    if (events.length + unreadable.length >= cap) return true;
    return weight > events.length && weight >= maxWeight && events.length > 1;
  };
  const content = contentOf(body, name, maxMiB);
  for await (const _ of readInto(reader, content, headers["content-length"] !== undefined)) {
    if (isTooMuch()) return { kind: "tooMuch" };
    throwFault();
  }
  return { kind: "events", events, unreadable };
}

/**
 * An answer as it was before it was compressed, which some servers do not say of it: its first bytes do.
 * @throws AgencyError once it is longer than any window's events; AgencyUnavailable where its compression is broken
 */
async function* contentOf(
  body: HttpAnswer["body"],
  name: string,
  maxMiB: number,
): AsyncGenerator<Uint8Array> {
  try {
    const { bytes } = await openedFile("", body, maxMiB * MIB);
    let length = 0;
    for await (const piece of bytes) {
      length += piece.length;
      if (length > maxMiB * MIB) throw new Refusal("FILE_TOO_LARGE");
      yield piece;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== "FILE_TOO_LARGE") {
      throw new AgencyUnavailable(`${name}'s compressed answer is broken`, { status: 200 });
    }
    const message = `${name}'s answer is larger than ${maxMiB} MiB`;
    throw new AgencyError(message, { status: 200 });
  }
}

/** Yields whenever events may have come. The body throws when fewer bytes arrive than announced. */
async function* readInto(
  reader: ReturnType<typeof createAnswerReader>,
  body: HttpAnswer["body"],
  isLengthKnown: boolean,
): AsyncGenerator<undefined> {
  for await (const bytes of body) {
    reader.write(bytes);
    yield;
  }
  yield* reader.end(isLengthKnown);
  yield;
}

function errorOf(fault: AnswerFault, name: string, format: AnswerFormat): Error {
  switch (fault.kind) {
    case "cut": {
      const message = `${name}'s answer ends early, at line ${fault.line}: ${agencyText(fault.message)}`;
      return new AgencyUnavailable(message, { status: 200 });
    }
    case "malformed": {
      const message = `${name}'s answer cannot be read from line ${fault.line} on: ${agencyText(fault.message)}`;
      return new AgencyError(message, { status: 200, worthRetrying: true });
    }
    case "foreign": {
      const expected = FORMAT_NAMES[format];
      const message = `${name} answered ${fault.content} where ${expected} was asked for`;
      return new AgencyError(message, { status: 200, worthRetrying: true });
    }
  }
}

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
function foreignContent(format: AnswerFormat, beginning: string): string | null {
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

/** Enough to recognise the encoding (byte order mark, XML declaration) and the content. */
const SAMPLE_BYTES = 1024;

/** Passes on the answer's text, from when there is a sample of it. */
function createAnswerDecoder(pass: (text: string, isFirst: boolean) => void) {
  let sample: Uint8Array = new Uint8Array();
  let decoder: FileDecoder | null = null;

  function open(): FileDecoder {
    const opened = createFileDecoder(sample.subarray(0, SAMPLE_BYTES));
    pass(opened.write(sample).text, true);
    return opened;
  }

  return {
    write(bytes: Uint8Array): void {
      if (decoder !== null) {
        pass(decoder.write(bytes).text, false);
        return;
      }
      sample = Buffer.concat([sample, bytes]);
      if (sample.length >= SAMPLE_BYTES) decoder = open();
    },
    end(): void {
      decoder ??= open();
      pass(decoder.end().text, false);
    },
  };
}

/** A row that could not be read. */
export type UnreadableRow = EventIds & {
  readonly message: string;
  /** Line of the answer where the row begins, from 1. */
  readonly line: number;
  /** Of an event that is lost whole: what it had; null where that is unknown. */
  readonly elements?: ElementCounts | null;
};

/** Why an answer is not what the agency has, whatever was read from it. */
export type AnswerFault =
  /** The answer ends too early, or may do so. */
  | { readonly kind: "cut"; readonly line: number; readonly message: string }
  /** Nothing after this line can be read. */
  | { readonly kind: "malformed"; readonly line: number; readonly message: string }
  /** The content is of another kind, for example an HTML page. */
  | { readonly kind: "foreign"; readonly content: string };

export type AnswerSink = {
  readonly event: (event: AnsweredEvent) => void;
  readonly unreadable: (row: UnreadableRow) => void;
  /** Only the first fault counts; later ones follow from it. */
  readonly fault: (fault: AnswerFault) => void;
};

/** Characters at the end of an answer that show whether it is complete. */
const TAIL_LENGTH = 512;
/** The last line of a message in ISF; the end of a web page may follow. */
const ISF_END = /(?:^|[\n\r])[ \t]*stop\s*(?:<[^<>]*>\s*)*$/i;

/**
 * Reads the body of an answer, in pieces of any size. An answer without rows is an answer without
 * events.
 *
 * QuakeML is complete when the end tag of its root was read, ISF when it ends with `STOP`, JSON when its
 * last bracket was read. Text has no
 * such mark: a connection closed too early looks like the end of an answer without a length, and so does
 * the last chunk of a proxy that lost the agency. Text with a Content-Length is therefore complete when
 * all announced bytes arrived, other text when its last line has a line end. Text without a length that
 * is cut exactly after a line end cannot be recognised as incomplete.
 */
export function createAnswerReader(format: AnswerFormat, sink: AnswerSink) {
  let lastLine = 1;
  let tail = "";
  let ending = false;
  let faulted = false;
  let blank = true;

  const rows: RowSink = {
    row(row, line, bulletin) {
      lastLine = line;
      const event = makeEvent(row);
      if (event === null) {
        lose(row, line, "the event has no valid time", bulletin);
      } else if (bulletin === undefined) {
        sink.event({ event, line });
      } else {
        takeWhole(event, line, bulletin);
      }
    },
    error(line, message, { publicId, fatal = false, elements } = {}) {
      lastLine = line;
      if (fatal || isUnfinished()) {
        fail({ kind: ending ? "cut" : "malformed", line, message });
        return;
      }
      const ids = publicId === undefined ? NO_IDS : idsIn(publicId);
      sink.unreadable({ line, message, ...ids, ...(elements !== undefined && { elements }) });
    },
    warning() {},
  };
  const makeEvent = format === "text" ? createTextEventMaker() : eventOfBulletin;
  const reader = readerOf(format, rows);

  function lose(row: JsonObject, line: number, message: string, bulletin?: Bulletin): void {
    const elements = bulletin && { elements: countElements(bulletin) };
    sink.unreadable({ line, message, ...idsOfRow(row), ...elements });
  }

  /** Bulletins are packed at once: a window's events wait in memory. */
  function takeWhole(event: AgencyEvent, line: number, bulletin: Bulletin): void {
    try {
      sink.event({ event, line, bulletin: packBulletin(bulletin) });
    } catch (error) {
      if (!(error instanceof BulletinTooLarge)) throw error;
      lose(event, line, `the event's bulletin ${error.message}`, bulletin);
    }
  }

  /** Text whose last line has no line end; JSON of which something is missing at its end. */
  const isUnfinished = () =>
    ending && ((format === "text" && !/[\n\r]$/.test(tail)) || format === "geojson");

  function fail(fault: AnswerFault): void {
    faulted = true;
    sink.fault(fault);
  }

  const decoder = createAnswerDecoder((text, isFirst) => {
    const content = isFirst ? foreignContent(format, text) : null;
    if (content !== null) fail({ kind: "foreign", content });
    if (text === "" || faulted) return;
    blank &&= text.trim() === "";
    tail = (tail + text).slice(-TAIL_LENGTH);
    reader.write(text);
  });

  return {
    write: decoder.write,
    /**
     * In steps, as `end` of `FormatReader`.
     * @param isLengthKnown whether the announced number of bytes arrived
     */
    *end(isLengthKnown: boolean): Steps<void> {
      decoder.end();
      if (faulted) return;
      ending = true;
      const { headers } = yield* reader.end();
      if (!faulted && format === "isf" && !ISF_END.test(tail)) {
        fail({ kind: "cut", line: lastLine, message: "the bulletin has no STOP" });
      }
      if (faulted || format !== "text") return;
      if (!blank && !headers.some((name) => meaningOf(name)?.field === "time")) {
        const message = "this is not FDSN text: it has no column of times";
        fail({ kind: "malformed", line: 1, message });
      } else if (!isLengthKnown && isUnfinished()) {
        const message = "the last line has no end, and no length was announced";
        fail({ kind: "cut", line: lastLine, message });
      }
    },
  };
}

function readerOf(format: AnswerFormat, rows: RowSink): FormatReader {
  switch (format) {
    case "xml":
      return createQuakemlReader(rows, { isAnswer: true, bulletins: true });
    case "isf":
      return createIsfReader(rows);
    case "geojson":
      return createJsonReader(rows);
    case "text":
      return createDelimitedReader(rows, { delimiter: "|", extension: "txt" });
  }
}

const NO_IDS: EventIds = { sourceId: null, publicId: null };

/**
 * An event from an agency, under canonical names whatever the format. `time` is canonical and always
 * present; nothing else is validated. `source_id` is the bare public id, the same in QuakeML and in
 * text; the full id is in `extra.public_id` if it says more. `extra` also holds members without a
 * canonical name and the original of mapped values: for GeoNet's text, `extra.event_type` is
 * "duplicate" where `event_type` is "other event".
 */
export type AgencyEvent = JsonObject & { time: string };

/** An event of one answer; `line` is the line where it begins, from 1. */
export type AnsweredEvent = {
  readonly event: AgencyEvent;
  readonly line: number;
  /** Of answers that say more than the event's attributes. */
  readonly bulletin?: PackedBulletin;
};

/** An event of several answers; `answer` describes for people the request that returned it. */
export type PlacedEvent = AnsweredEvent & { readonly answer: string };

/** Packed bytes of a bulletin that count as one event where answers are sized; GeoNet's events have 2 to 5 kB. */
const EVENT_BYTES = 8 * 1024;

/** How many events of usual size it is like, at least one. */
export function weightOf({ bulletin }: AnsweredEvent): number {
  return bulletin === undefined ? 1 : Math.max(1, packedBytes(bulletin) / EVENT_BYTES);
}

/** Makes an event of a row; null when the row has no valid time. */
export type EventMaker = (row: JsonObject) => AgencyEvent | null;

/** For rows of bulletins, whose readers use canonical names. */
export const eventOfBulletin: EventMaker = (value) => {
  const row = detached(value) as JsonObject;
  const time = canonicalTime(row["time"]);
  return time === null ? null : Object.assign(row, { time });
};

/** For rows of FDSN text, keyed by their column names. */
function createTextEventMaker(): EventMaker {
  const fields = new Map<string, Field | null>();
  const fieldOf = (name: string): Field | null => {
    let field = fields.get(name);
    if (field === undefined) {
      field = meaningOf(name)?.field ?? null;
      fields.set(name, field);
    }
    return field;
  };

  return (row) => {
    const event: JsonObject = {};
    const extra: JsonObject = {};
    for (const name in row) {
      const value = row[name];
      if (value === null || value === undefined) continue;
      const field = fieldOf(name);
      if (field === "extra") keepOriginals(value, extra, fieldOf);
      else if (field !== null && event[field] === undefined) event[field] = value;
      else extra[name] = value;
    }
    const time = canonicalTime(event["time"]);
    if (time === null) return null;
    // An empty cell is an unknown magnitude; a missing one would be refused.
    event["magnitude"] ??= null;
    putIdentity(event, extra);
    if (Object.keys(extra).length > 0) event["extra"] = extra;
    return { ...event, time };
  };
}

/** Keeps values that the text reader could not convert, under their column names. */
function keepOriginals(
  originals: JsonValue,
  extra: JsonObject,
  fieldOf: (name: string) => Field | null,
): void {
  if (!isJsonObject(originals)) {
    extra["extra"] = originals;
    return;
  }
  for (const [name, value] of Object.entries(originals)) extra[fieldOf(name) ?? name] = value;
}

function putIdentity(event: JsonObject, extra: JsonObject): void {
  const id = event["source_id"];
  if (typeof id !== "string") return;
  const { sourceId, publicId } = idsIn(id);
  if (publicId !== null) extra["public_id"] = publicId;
  event["source_id"] = sourceId;
}

/** The ids by which messages name a row, as far as it has any. */
export function idsOfRow(row: JsonObject): EventIds {
  const ids = idsOf({ source_id: row["source_id"] ?? row["EventID"], extra: row["extra"] });
  const { sourceId, publicId } = ids;
  const isWhole = sourceId !== null && (publicId === null || publicId === sourceId);
  return isWhole ? idsIn(sourceId) : ids;
}

function canonicalTime(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? parseTime(value) : null;
}

/** V8 copies slices up to this length; a longer slice keeps the whole parent string in memory. */
const LONGEST_COPIED = 12;

/** A copy with all its strings copied: slices would keep the whole answer in memory. */
function detached(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    const isFree = value.length <= LONGEST_COPIED || !value.isWellFormed();
    return isFree ? value : Buffer.from(value).toString();
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(detached);
  for (const name in value) value[name] = detached(value[name] as JsonValue);
  return value;
}

/** Never in a fingerprint: free for its keeper's own mark. */
export const FREE_BIT = 1n;
/** Always in a fingerprint, which is never 0 so. */
const SET_BIT = 2n;

/** Of all that an answer says of an event: 64 bits that differ where that does. */
export function fingerprintOf({ event, bulletin }: AnsweredEvent): bigint {
  const text = JSON.stringify(event) + (bulletin?.sha256 ?? "");
  const bits = hash("sha1", text, "buffer").readBigUInt64LE();
  return (bits & ~FREE_BIT) | SET_BIT;
}
