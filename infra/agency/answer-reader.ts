import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { meaningOf } from "#contracts/seismic-event/input-names.ts";
import { type EventIds, idsIn } from "#contracts/seismic-event/public-id.ts";
import { packBulletin } from "../bulletins/packed-bulletin.ts";
import { BulletinTooLarge } from "../bulletins/seal-bulletin.ts";
import { createFileDecoder, type FileDecoder } from "../formats/decode-text.ts";
import { createDelimitedReader } from "../formats/delimited/delimited-reader.ts";
import type { FormatReader, RowSink } from "../formats/format-reader.ts";
import { createQuakemlReader } from "../formats/quakeml/quakeml-reader.ts";
import {
  type AgencyEvent,
  type AnsweredEvent,
  createTextEventMaker,
  eventOfQuakeml,
  idsOfRow,
} from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";
import { foreignContent } from "./foreign-content.ts";

/** A row that could not be read. */
export type UnreadableRow = EventIds & {
  readonly message: string;
  /** Line of the answer where the row begins, from 1. */
  readonly line: number;
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

export type AnswerReader = {
  readonly write: (bytes: Uint8Array) => void;
  /** @param isLengthKnown whether the announced number of bytes arrived */
  readonly end: (isLengthKnown: boolean) => void;
};

/** Enough to recognise the encoding (byte order mark, XML declaration) and the content. */
const SAMPLE_BYTES = 1024;

/**
 * Reads the body of an answer, in pieces of any size. An answer without rows is an answer without
 * events.
 *
 * QuakeML is complete when the end tag of its root was read. Text has no such mark: a connection
 * closed too early looks like the end of an answer without a length, and so does the last chunk of a
 * proxy that lost the agency. Text with a Content-Length is therefore complete when all announced
 * bytes arrived, other text when its last line has a line end. Text without a length that is cut
 * exactly after a line end cannot be recognised as incomplete.
 */
export function createAnswerReader(detail: AgencyQuery["detail"], sink: AnswerSink): AnswerReader {
  let lastLine = 1;
  let lastCharacter = "";
  let ending = false;
  let faulted = false;
  let blank = true;

  const rows: RowSink = {
    row(row, line, bulletin) {
      lastLine = line;
      const event = makeEvent(row);
      if (event === null) {
        sink.unreadable({ line, message: "the event has no valid time", ...idsOfRow(row) });
      } else if (bulletin === undefined) {
        sink.event({ event, line });
      } else {
        takeWhole(event, line, bulletin);
      }
    },
    error(line, message, { publicId, fatal = false } = {}) {
      lastLine = line;
      if (fatal || isUnfinished()) {
        fail({ kind: ending ? "cut" : "malformed", line, message });
      } else {
        sink.unreadable({ line, message, ...(publicId === undefined ? NO_IDS : idsIn(publicId)) });
      }
    },
    warning() {},
  };
  const makeEvent = detail === "full" ? eventOfQuakeml : createTextEventMaker();
  const reader = readerOf(detail, rows);

  /** Bulletins are packed at once: a window's events wait in memory. */
  function takeWhole(event: AgencyEvent, line: number, bulletin: Bulletin): void {
    try {
      sink.event({ event, line, bulletin: packBulletin(bulletin) });
    } catch (error) {
      if (!(error instanceof BulletinTooLarge)) throw error;
      const message = `the event's bulletin ${error.message}`;
      sink.unreadable({ line, message, ...idsOfRow(event) });
    }
  }

  /** Text whose last line has no line end. */
  const isUnfinished = () =>
    ending && detail === "summary" && lastCharacter !== "\n" && lastCharacter !== "\r";

  function fail(fault: AnswerFault): void {
    faulted = true;
    sink.fault(fault);
  }

  const decoder = createAnswerDecoder((text, isFirst) => {
    const content = isFirst ? foreignContent(detail, text) : null;
    if (content !== null) fail({ kind: "foreign", content });
    if (text === "" || faulted) return;
    blank &&= text.trim() === "";
    lastCharacter = text.slice(-1);
    reader.write(text);
  });

  return {
    write: decoder.write,
    end(isLengthKnown) {
      decoder.end();
      if (faulted) return;
      ending = true;
      const { headers } = reader.end();
      if (faulted || detail === "full") return;
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

function readerOf(detail: AgencyQuery["detail"], rows: RowSink): FormatReader {
  return detail === "full"
    ? createQuakemlReader(rows, { isAnswer: true, bulletins: true })
    : createDelimitedReader(rows, { delimiter: "|", extension: "txt" });
}

const NO_IDS: EventIds = { sourceId: null, publicId: null };

function isTime(column: string): boolean {
  return meaningOf(column)?.field === "time";
}
