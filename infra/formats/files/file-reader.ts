/** Files of any format: their encoding and their format by their content, and the reader for it. */

import { TextDecoder } from "node:util";
import { type NamedColumns, NO_NAMED_COLUMNS } from "#contracts/seismic-event/columns.ts";
import type { Steps } from "../../kernel/iteration.ts";
import { createDelimitedReader } from "../delimited/reader.ts";
import type { Delimiter as TextDelimiter } from "../delimited/record-reader.ts";
import { createFileSense, type FileReading } from "../file-sense.ts";
import type { FormatReader, ReadResult, RowSink } from "../format-reader.ts";
import { createIsfReader, isIsf } from "../isf/reader.ts";
import { createJsonReader } from "../json/reader.ts";
import { createRowReader } from "../json/row-reader.ts";
import { callbackLength, leadingBlanks } from "../json/scanner.ts";
import { createHypoddReader, isHypodd } from "../lines/hypodd.ts";
import { createNdkReader, isNdk } from "../lines/ndk.ts";
import { createNonlinlocReader, isNonlinloc } from "../nonlinloc/reader.ts";
import { createNordicReader, isNordic } from "../nordic/reader.ts";
import { createQuakemlReader } from "../quakeml/reader.ts";
import { createScmlReader } from "../scml/reader.ts";

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

/** The family of formats that one reader handles. */
export type FormatFamily =
  | "delimited"
  | "json"
  | "quakeml"
  | "scml"
  | "isf"
  | "ndk"
  | "nonlinloc"
  | "hypodd"
  | "nordic";

type Detected =
  | { readonly family: FormatFamily }
  | { readonly family: null; readonly reason: string };

/** Root elements of QuakeML documents, and of documents with its content alone. */
const QUAKEML_ROOTS = new Set(["quakeml", "eventparameters"]);
const SCML_ROOT = "seiscomp";

/** Formats of lines that are no tables, by what their first lines show. */
const FORMATS_OF_LINES = [
  ["isf", isIsf],
  ["ndk", isNdk],
  ["nonlinloc", isNonlinloc],
  ["hypodd", isHypodd],
  ["nordic", isNordic],
] as const;
const FIRST_LINES = 100;

/** Documents of which a part is text: how they begin, and what they are. */
const DOCUMENTS = [
  ["%PDF-", "the file is a PDF document"],
  ["{\\rtf", "the file is an RTF document"],
  ["%!PS", "the file is a PostScript document"],
] as const;

const MAX_CONTROL_SHARE = 0.05;

const NOT_BLANK = /\S/g;
/** Requires one more character, since a name at the end of the text may be incomplete. */
const ROOT = /<(?:[\w.-]+:)?([\w.-]+)(?=[^\w.:-])/y;

/** Markup that may precede the root element: how it begins and how it ends. */
const PROLOGUE = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<!", ">"],
] as const;

/** A file name's extension, lower case, without the dot; "" without one. */
export function extensionOf(fileName: string): string {
  return /\.([^./\\]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
}

/**
 * The family of a file, by its content alone.
 * @param sample the beginning of the file's text
 */
export function detectFormat(sample: string): Detected {
  const document = DOCUMENTS.find(([begin]) => sample.startsWith(begin));
  if (document !== undefined) return { family: null, reason: document[1] };
  if (isBinary(sample)) return { family: null, reason: "the file is not text" };
  const family = familyOf(sample);
  return family === null ? { family, reason: "the XML is neither QuakeML nor SCML" } : { family };
}

/** Text has no NUL and few other control characters (those before TAB, and from SO to ESC). */
function isBinary(sample: string): boolean {
  let controls = 0;
  for (let i = 0; i < sample.length; i++) {
    const code = sample.charCodeAt(i);
    if (code === 0) return true;
    if (code < 0x09 || (code > 0x0d && code < 0x1c)) controls += 1;
  }
  return controls > sample.length * MAX_CONTROL_SHARE;
}

function familyOf(text: string): FormatFamily | null {
  const sample = text.slice(leadingBlanks(text));
  if (/^[{[]/.test(sample) || callbackLength(sample) > 0) return "json";
  if (!sample.startsWith("<")) return formatOfLines(text);
  const root = xmlRoot(sample);
  // A root element beyond the sample is checked by the reader.
  if (root === undefined || QUAKEML_ROOTS.has(root)) return "quakeml";
  if (root === SCML_ROOT) return "scml";
  // Bulletins come in web pages, too.
  return formatOfLines(text) === "isf" ? "isf" : null;
}

/** Blanks count in them, also those at the beginning. */
function formatOfLines(text: string): FormatFamily {
  const lines = text.split(/\r\n?|\n/, FIRST_LINES);
  return FORMATS_OF_LINES.find(([, fits]) => fits(lines))?.[0] ?? "delimited";
}

/**
 * The root element's name without prefix, lower case; undefined when `text`, the beginning of a
 * document, does not reach it. Every character is examined a fixed number of times. Comments are not
 * matched by a pattern, because one with two ways to end a comment would try all combinations.
 */
function xmlRoot(text: string): string | undefined {
  let at = pastBlanks(text, 0);
  for (;;) {
    const part = PROLOGUE.find(([begin]) => text.startsWith(begin, at));
    if (part === undefined) break;
    const [begin, end] = part;
    const until = text.indexOf(end, at + begin.length);
    if (until === -1) return undefined;
    at = pastBlanks(text, until + end.length);
  }
  ROOT.lastIndex = at;
  return ROOT.exec(text)?.[1]?.toLowerCase();
}

function pastBlanks(text: string, from: number): number {
  NOT_BLANK.lastIndex = from;
  return NOT_BLANK.exec(text)?.index ?? text.length;
}

type DecodedText = {
  readonly text: string;
  /** Given once, when the file turns out not to be in the encoding that it is read in. */
  readonly warning: string | null;
  /** The warning tells of bytes that are lost. */
  readonly isLoss?: boolean;
};

export type FileDecoder = {
  readonly write: (bytes: Uint8Array) => DecodedText;
  readonly end: () => DecodedText;
};

const BYTE_ORDER_MARKS = [
  { encoding: "utf-8", bytes: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

const XML_ENCODING = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;
/** Share of zero bytes at even or odd places from which text, mostly ASCII, counts as UTF-16. */
const UTF16_SHARE = 0.4;

/** Bytes by which an encoding is recognised, from the first that is not UTF-8; fewer at the end. */
const TELLING_BYTES = 16 * 1024;

/**
 * A decoder for a file that begins with `sample`. It never fails; a byte order mark is dropped.
 * @param label of the WHATWG Encoding Standard, where the encoding is known
 */
export function createFileDecoder(sample: Uint8Array, label?: string): FileDecoder {
  if (label !== undefined) return plainDecoder(label);
  const encoding = encodingOf(sample);
  return encoding === "utf-8" ? utf8OrOlder() : plainDecoder(encoding);
}

function plainDecoder(label: string): FileDecoder {
  const decoder = new TextDecoder(label);
  /** Until it has found bytes that are none of the encoding's. */
  let strict: TextDecoder | null = new TextDecoder(label, { fatal: true });

  function decode(bytes: Uint8Array, stream: boolean): DecodedText {
    const text = decoder.decode(bytes, { stream });
    try {
      strict?.decode(bytes, { stream });
      return { text, warning: null };
    } catch {
      strict = null;
      return { text, warning: lossIn(decoder.encoding), isLoss: true };
    }
  }
  return { write: (bytes) => decode(bytes, true), end: () => decode(new Uint8Array(), false) };
}

function lossIn(encoding: string): string {
  return `bytes that are no ${encoding} are shown as \uFFFD`;
}

/** Starts as UTF-8 and changes the decoder at the first invalid byte; earlier text stays as decoded. */
function utf8OrOlder(): FileDecoder {
  const strict = new TextDecoder("utf-8", { fatal: true });
  let fallback: TextDecoder | null = null;
  let unfinished: Uint8Array = new Uint8Array();
  /** From the first invalid byte on, until there is enough. */
  let rest: Uint8Array | null = null;

  function decode(bytes: Uint8Array, stream: boolean): DecodedText {
    if (fallback !== null) return { text: fallback.decode(bytes, { stream }), warning: null };
    if (rest !== null) return fallBack(Buffer.concat([rest, bytes]), stream);
    try {
      const text = strict.decode(bytes, { stream });
      unfinished = unfinishedCharacter(Buffer.concat([unfinished, bytes.subarray(-3)]));
      return { text, warning: null };
    } catch {
      return fallBack(Buffer.concat([unfinished, bytes]), stream);
    }
  }

  function fallBack(bytes: Uint8Array, stream: boolean): DecodedText {
    if (stream && bytes.length < TELLING_BYTES) {
      rest = bytes;
      return { text: "", warning: null };
    }
    const name = isDamagedUtf8(bytes) ? "UTF-8" : isGb18030(bytes) ? "GB18030" : "Windows-1252";
    fallback = new TextDecoder(name);
    const text = fallback.decode(bytes, { stream });
    if (name === "UTF-8") return { text, warning: lossIn(name), isLoss: true };
    return { text, warning: `the file is not UTF-8; from here on it is read as ${name}` };
  }
  return { write: (bytes) => decode(bytes, true), end: () => decode(new Uint8Array(), false) };
}

/**
 * Chinese text is nearly all pairs of GB 2312: of bytes above A0, hardly any of which are kana. Letters
 * of Western and Cyrillic code pages stand alone, or in words of an odd length, and Korean leads with
 * few bytes.
 */
function isGb18030(bytes: Uint8Array): boolean {
  let [pairs, kana, lowLeads, others] = [0, 0, 0, 0];
  for (let i = 0; i < bytes.length; i++) {
    const [lead = 0, trail = 0] = [bytes[i], bytes[i + 1]];
    if (lead < 0x80) continue;
    if (lead <= 0xa0 || lead > 0xf7 || trail <= 0xa0) {
      others++;
      continue;
    }
    pairs++;
    i++;
    if (lead === 0xa4 || lead === 0xa5) kana++;
    if (lead <= 0xc8) lowLeads++;
  }
  const isKorean = pairs >= 16 && lowLeads === pairs;
  return pairs >= 2 && others * 20 <= pairs && kana * 5 < pairs && !isKorean;
}

/** Valid multi-byte UTF-8 characters hardly ever occur by chance in text of an older encoding. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder("utf-8").decode(bytes);
  const damaged = text.split("\uFFFD").length - 1;
  const longer = text.match(/[\u0080-\uFFFC]/g)?.length ?? 0;
  return longer > damaged;
}

/** An incomplete character at the end: at most three bytes. */
function unfinishedCharacter(bytes: Uint8Array): Uint8Array {
  for (let length = 1; length <= 3; length++) {
    const byte = bytes.at(-length) ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > length ? bytes.slice(-length) : new Uint8Array();
  }
  return new Uint8Array();
}

function encodingOf(sample: Uint8Array): string {
  const marked = BYTE_ORDER_MARKS.find(({ bytes }) => bytes.every((b, i) => sample[i] === b));
  if (marked) return marked.encoding;
  const zeros = [0, 0];
  for (const [i, byte] of sample.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const half = sample.length / 2;
  const [even = 0, odd = 0] = zeros;
  if (odd > half * UTF16_SHARE && even === 0) return "utf-16le";
  if (even > half * UTF16_SHARE && odd === 0) return "utf-16be";
  return declaredEncoding(sample);
}

/** The encoding that XML declares; an unknown one is guessed like that of other text. */
function declaredEncoding(sample: Uint8Array): string {
  const head = Buffer.from(sample.subarray(0, 200)).toString("latin1");
  const declared = XML_ENCODING.exec(head)?.[1];
  try {
    // A declaration that is readable byte by byte is not in UTF-16, whatever it declares.
    const encoding = declared ? new TextDecoder(declared).encoding : "utf-8";
    return encoding.startsWith("utf-16") ? "utf-8" : encoding;
  } catch {
    return "utf-8";
  }
}
