/** An answer of an agency, by its status and in any format that it may send. */

import { countElements, type ElementCounts } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { Refusal } from "#contracts/errors.ts";
import { meaningOf } from "#contracts/seismic-event/names.ts";
import { type EventIds, idsIn } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { MIB } from "#contracts/units.ts";
import { BulletinTooLarge, packBulletin } from "../bulletins/packed-bulletin.ts";
import { openedFile } from "../files/opened-file.ts";
import { createDelimitedReader } from "../formats/delimited/reader.ts";
import { detectFormat, type FormatFamily } from "../formats/files/detect-format.ts";
import { createFileDecoder, type FileDecoder } from "../formats/files/text-decoder.ts";
import type { FormatReader, RowSink } from "../formats/format-reader.ts";
import { createIsfReader } from "../formats/isf/reader.ts";
import { createJsonReader } from "../formats/json/reader.ts";
import { createQuakemlReader } from "../formats/quakeml/reader.ts";
import type { Steps } from "../kernel/iteration.ts";
import {
  type AgencyEvent,
  type AnsweredEvent,
  createTextEventMaker,
  eventOfBulletin,
  idsOfRow,
  weightOf,
} from "./agency-event.ts";
import { AgencyError, AgencyUnavailable, agencyText } from "./http/errors.ts";
import { beginningOf, type HttpAnswer, refusalIn } from "./http/exchange.ts";
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
  reader: AnswerReader,
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

type AnswerReader = {
  readonly write: (bytes: Uint8Array) => void;
  /**
   * In steps, as `end` of `FormatReader`.
   * @param isLengthKnown whether the announced number of bytes arrived
   */
  readonly end: (isLengthKnown: boolean) => Steps<void>;
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
export function createAnswerReader(format: AnswerFormat, sink: AnswerSink): AnswerReader {
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
    *end(isLengthKnown) {
      decoder.end();
      if (faulted) return;
      ending = true;
      const { headers } = yield* reader.end();
      if (!faulted && format === "isf" && !ISF_END.test(tail)) {
        fail({ kind: "cut", line: lastLine, message: "the bulletin has no STOP" });
      }
      if (faulted || format !== "text") return;
      if (!blank && !headers.some(isTime)) {
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

function isTime(column: string): boolean {
  return meaningOf(column)?.field === "time";
}
