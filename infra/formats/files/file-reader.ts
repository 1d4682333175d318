import { type NamedColumns, NO_NAMED_COLUMNS } from "#contracts/seismic-event/columns.ts";
import type { Steps } from "../../kernel/iteration.ts";
import { createDelimitedReader } from "../delimited/reader.ts";
import type { Delimiter as TextDelimiter } from "../delimited/record-reader.ts";
import { createFileSense, type FileReading } from "../file-sense.ts";
import type { FormatReader, ReadResult, RowSink } from "../format-reader.ts";
import { createIsfReader } from "../isf/reader.ts";
import { createJsonReader } from "../json/reader.ts";
import { createRowReader } from "../json/row-reader.ts";
import { createHypoddReader } from "../lines/hypodd.ts";
import { createNdkReader } from "../lines/ndk.ts";
import { createNonlinlocReader } from "../nonlinloc/reader.ts";
import { createNordicReader } from "../nordic/reader.ts";
import { createQuakemlReader } from "../quakeml/reader.ts";
import { createScmlReader } from "../scml/reader.ts";
import { detectFormat, type FormatFamily } from "./detect-format.ts";
import { createFileDecoder, type DecodedText, type FileDecoder } from "./text-decoder.ts";

/** Enough to recognise a format: some agencies' preambles are long. */
const SAMPLE_BYTES = 64 * 1024;

export type Delimiter = TextDelimiter | "auto";
export type FileReaderOptions = {
  /** The file name's extension, lower case, without the dot; "" when unknown. */
  readonly extension: string;
  readonly delimiter: Delimiter;
  /** What columns are, instead of what their names say. */
  readonly columns?: NamedColumns;
  /** A label of the WHATWG Encoding Standard; by default it is detected. */
  readonly encoding?: string | undefined;
  /** Events are read whole, where the format says more of them than a row. */
  readonly bulletins?: boolean;
} & FileReading;

/** No reader can read the file. */
export class UnsupportedFile extends Error {
  override readonly name = "UnsupportedFile";
}

type Pipeline = { readonly decoder: FileDecoder; readonly reader: FormatReader };

/** Reads a file of any format; its first bytes decide which reader is used. */
export function createFileReader(sink: RowSink, options: FileReaderOptions) {
  let sample: Uint8Array[] = [];
  let sampled = 0;
  let pipeline: Pipeline | null = null;
  let isLossy = false;

  function pass({ reader }: Pipeline, { text, warning, isLoss = false }: DecodedText): void {
    isLossy ||= isLoss;
    if (warning !== null) sink.warning(1, warning);
    if (text !== "") reader.write(text);
  }

  /** @param isWhole whether the sample is all of the file */
  function open(isWhole: boolean): Pipeline {
    const bytes = Buffer.concat(sample);
    sample = [];
    const decoder = createFileDecoder(bytes, options.encoding);
    const parts = isWhole ? [decoder.write(bytes), decoder.end()] : [decoder.write(bytes)];
    const detected = detectFormat(parts.map(({ text }) => text).join(""));
    if (detected.family === null) throw new UnsupportedFile(detected.reason);
    const pipe = { decoder, reader: readerOf(detected.family, sink, options) };
    for (const part of parts) pass(pipe, part);
    return pipe;
  }

  return {
    /** @throws UnsupportedFile */
    write(bytes: Uint8Array): void {
      if (pipeline !== null) {
        pass(pipeline, pipeline.decoder.write(bytes));
        return;
      }
      sample.push(bytes);
      sampled += bytes.length;
      if (sampled >= SAMPLE_BYTES) pipeline = open(false);
    },
    /** As `end` of `FormatReader`. @throws UnsupportedFile */
    *end(): Steps<ReadResult> {
      if (pipeline === null) pipeline = open(true);
      else pass(pipeline, pipeline.decoder.end());
      const result = yield* pipeline.reader.end();
      return { ...result, ...(isLossy && { isLossy: true as const }) };
    },
  };
}

function readerOf(family: FormatFamily, sink: RowSink, options: FileReaderOptions): FormatReader {
  const { columns = NO_NAMED_COLUMNS, bulletins = false } = options;
  const canonical = columns.size === 0 ? sink : renamed(sink, columns);
  switch (family) {
    case "delimited":
      return createDelimitedReader(sink, options);
    case "json":
      return createJsonReader(sink, columns, options);
    case "quakeml":
      return createQuakemlReader(canonical, { bulletins });
    case "scml":
      return createScmlReader(canonical);
    case "isf":
      return createIsfReader(canonical);
    case "ndk":
      return createNdkReader(canonical);
    case "nonlinloc":
      return createNonlinlocReader(canonical);
    case "hypodd":
      return createHypoddReader(canonical);
    case "nordic":
      return createNordicReader(canonical);
  }
}

/** Rows of bulletins have canonical names already: what is said of these is read from the row. */
function renamed(sink: RowSink, columns: NamedColumns): RowSink {
  const rows = createRowReader(columns, createFileSense({}));
  return {
    ...sink,
    row(row, line, bulletin) {
      const canonical = rows.read(row, (message) => sink.warning(line, message));
      if (canonical !== null) sink.row(canonical, line, bulletin);
    },
  };
}
