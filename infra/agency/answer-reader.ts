import { meaningOf } from "#contracts/seismic-event/input-names.ts";
import { createFileDecoder, type DecodedText, type FileDecoder } from "../formats/decode-text.ts";
import { createDelimitedReader } from "../formats/delimited/delimited-reader.ts";
import type { FormatReader, RowSink } from "../formats/format-reader.ts";
import { bareId } from "../formats/quakeml/public-id.ts";
import { createQuakemlReader } from "../formats/quakeml/quakeml-reader.ts";
import { type AgencyEvent, createTextEventMaker, eventOfQuakeml, idOf } from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";

/** A row that could not be read. */
export type UnreadableRow = {
  readonly message: string;
  /** Line of the answer, from 1; null where it is not of one line. */
  readonly line: number | null;
  /** The event's bare id, null where it is not known. */
  readonly sourceId: string | null;
};

export type AnswerSink = {
  readonly event: (event: AgencyEvent) => void;
  readonly unreadable: (row: UnreadableRow) => void;
  /** Nothing after this line could be read; told at most once. */
  readonly broken: (line: number, message: string) => void;
};

export type AnswerReader = {
  readonly write: (bytes: Uint8Array) => void;
  readonly end: () => void;
};

/** The first bytes tell the encoding: a byte order mark or what the XML declares. */
const SAMPLE_BYTES = 256;

/** Reads the body of an answer, cut anywhere. An answer without events is one without rows. */
export function createAnswerReader(detail: AgencyQuery["detail"], sink: AnswerSink): AnswerReader {
  let sample: Uint8Array = new Uint8Array();
  let decoder: FileDecoder | null = null;
  let lastByte: number | undefined;
  let ending = false;
  let blank = true;

  const rows: RowSink = {
    row(row, line) {
      const event = makeEvent(row);
      if (event !== null) sink.event(event);
      else sink.unreadable({ line, message: "the event has no valid time", sourceId: idOf(row) });
    },
    error(line, message, { publicId, fatal = false } = {}) {
      // A row at the end, without a line end, that cannot be read: the answer was cut off there.
      if (fatal || (ending && detail === "summary" && lastByte !== NEWLINE)) {
        sink.broken(line, message);
      } else {
        const sourceId = publicId === undefined ? null : (bareId(publicId) ?? publicId);
        sink.unreadable({ line, message, sourceId });
      }
    },
    warning() {},
  };
  const makeEvent = detail === "full" ? eventOfQuakeml : createTextEventMaker();
  const reader = readerOf(detail, rows);

  function pass({ text }: DecodedText): void {
    if (text === "") return;
    blank &&= text.trim() === "";
    reader.write(text);
  }

  return {
    write(bytes) {
      lastByte = bytes.at(-1) ?? lastByte;
      if (decoder !== null) {
        pass(decoder.write(bytes));
        return;
      }
      sample = Buffer.concat([sample, bytes]);
      if (sample.length < SAMPLE_BYTES) return;
      decoder = createFileDecoder(sample.subarray(0, SAMPLE_BYTES));
      pass(decoder.write(sample));
    },
    end() {
      if (decoder === null) {
        decoder = createFileDecoder(sample);
        pass(decoder.write(sample));
      }
      pass(decoder.end());
      ending = true;
      const { headers } = reader.end();
      // A sentence is a table too, of one column.
      if (detail === "summary" && !blank && !headers.some(isTime)) {
        sink.broken(1, "this is not FDSN text: it has no column of times");
      }
    },
  };
}

const NEWLINE = 10;

function readerOf(detail: AgencyQuery["detail"], sink: RowSink): FormatReader {
  switch (detail) {
    case "full":
      return createQuakemlReader(sink, { mayBeEmpty: true });
    case "summary":
      return createDelimitedReader(sink, { delimiter: "|", extension: "txt" });
    default: {
      const unknown: never = detail;
      throw new Error(`unknown detail: ${unknown}`);
    }
  }
}

function isTime(column: string): boolean {
  return meaningOf(column)?.field === "time";
}
