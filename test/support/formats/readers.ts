import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createDelimitedReader, type DelimitedOptions } from "#infra/formats/delimited/reader.ts";
import { createFileReader, type FileReaderOptions } from "#infra/formats/files/file-reader.ts";
import type { FormatReader, ReadResult, RowSink } from "#infra/formats/format-reader.ts";
import { createJsonReader } from "#infra/formats/json/reader.ts";
import { createQuakemlReader } from "#infra/formats/quakeml/reader.ts";
import { atOnce, type Steps } from "#infra/kernel/iteration.ts";
import { createEventValidator } from "#services/domain/events/validation/validate-event.ts";

/** All that a reader tells of a file. Its notes are `line: message`. */
export type Told = ReadResult & {
  readonly rows: JsonObject[];
  /** Where each row begins. */
  readonly lines: number[];
  /** Of each row. */
  readonly bulletins: (Bulletin | undefined)[];
  readonly errors: string[];
  readonly warnings: string[];
};

type Reader<T> = { readonly write: (piece: T) => void; readonly end: () => Steps<ReadResult> };

/** What a reader tells of what comes in these pieces; a text is one piece. */
export function toldBy<T>(create: (sink: RowSink) => Reader<T>, pieces: Iterable<T>): Told {
  const told: Omit<Told, keyof ReadResult> = {
    ...{ rows: [], lines: [], bulletins: [] },
    ...{ errors: [], warnings: [] },
  };
  const reader = create({
    row(row, line, bulletin) {
      told.rows.push(row);
      told.lines.push(line);
      told.bulletins.push(bulletin);
    },
    error: (line, message) => told.errors.push(`${line}: ${message}`),
    warning: (line, message) => told.warnings.push(`${line}: ${message}`),
  });
  for (const piece of typeof pieces === "string" ? [pieces as T] : pieces) reader.write(piece);
  return { ...told, ...atOnce(reader.end()) };
}

const textReader =
  <O>(create: (sink: RowSink, options: Partial<O>) => FormatReader) =>
  (text: Iterable<string>, options: Partial<O> = {}): Told =>
    toldBy((sink) => create(sink, options), text);

export const readTable = textReader<DelimitedOptions>((sink, options) =>
  createDelimitedReader(sink, { delimiter: "auto", ...options }),
);
export const readJson = textReader((sink) => createJsonReader(sink));
export const readQuakeml = textReader<{ bulletins: boolean }>((sink, { bulletins = false }) =>
  createQuakemlReader(sink, { bulletins }),
);

/** The text in pieces that end at these places, or a character later where they part a pair of surrogates. */
export function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  let from = 0;
  return places.map((place) => {
    const code = text.charCodeAt(place);
    const to = code >= 0xdc00 && code <= 0xdfff ? place + 1 : place;
    const piece = text.slice(from, to);
    from = Math.max(from, to);
    return piece;
  });
}

/** A table of comma-separated values or the like. */
export const table = (header: string, ...rows: readonly string[]): string =>
  `${[header, ...rows].join("\n")}\n`;

export type ReadFile = Omit<Told, "bulletins"> & {
  /** Of rows that have one. */
  readonly bulletins: readonly Bulletin[];
  /** The events that the rows make, by what is known of each. */
  readonly events: readonly Partial<SeismicEventRecord>[];
  /** What is wrong with the rows that make none. */
  readonly faults: readonly string[];
};

/** A file as an upload reads it, again where its whole says how, and the events of its rows. */
export function readFile(
  content: string | Uint8Array,
  options: Partial<FileReaderOptions> = {},
): ReadFile {
  const settings = { extension: "", delimiter: "auto", ...options } as const;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const told = toldBy<Uint8Array>((sink) => createFileReader(sink, settings), [bytes]);
  if (told.again !== undefined) return readFile(content, { ...options, ...told.again });
  const bulletins = told.bulletins.filter((bulletin) => bulletin !== undefined);
  return { ...told, bulletins, ...eventsOf(told.rows) };
}

/** The events that rows make when they are posted, and the faults of those that make none. */
export function eventsOf(rows: readonly JsonObject[]): Pick<ReadFile, "events" | "faults"> {
  const validate = createEventValidator({ nowMs: Date.UTC(2026, 0) });
  const results = rows.map((row) => validate(JSON.parse(JSON.stringify(row))));
  return {
    events: results.flatMap((one) => (one.ok ? [knownOf(one.record)] : [])),
    faults: results.flatMap((one) =>
      one.ok ? [] : one.errors.map(({ field, message }) => `${field} ${message}`),
    ),
  };
}

function knownOf(record: SeismicEventRecord): Partial<SeismicEventRecord> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
