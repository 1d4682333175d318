import { CsvError, type InfoRecord, type Options, parse } from "csv-parse/sync";
import { csvOptions, type Dialect } from "./dialect.ts";

/** No event is longer: 64 KiB of `extra` and of mechanisms fit in many times. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const TOO_LONG = "CSV_MAX_RECORD_SIZE";
const NOT_CLOSED = "CSV_QUOTE_NOT_CLOSED";
const TEXT_AFTER_QUOTE = "holds text after the closing quote of a field";

/** By the codes of csv-parse, whose own messages count lines from where it was set on. */
const FAULTS: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE:
    'holds a quote inside a field that does not begin with one; write it as "" in quotes',
  CSV_INVALID_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  [TOO_LONG]: `is longer than ${MAX_RECORD_BYTES} bytes`,
  [NOT_CLOSED]: "opens a quote that is never closed",
};

const LF = 10;
const CR = 13;

export type RecordSink = {
  /** `line` is where the record begins. */
  readonly record: (fields: readonly string[], line: number) => void;
  readonly fault: (line: number, message: string) => void;
};

export type RecordReader = {
  readonly write: (text: string) => void;
  readonly end: () => void;
};

/**
 * Tells the fields of each record of a text that comes in pieces. Lines end with LF, CRLF or CR; blank
 * lines and lines that begin with `#` are left out. csv-parse reads the whole lines that have come, and
 * is set on the next line after a fault: were it left to skip a faulty record, it would go on within
 * the quote that is open, and lose the rows up to the next one.
 */
export function createRecordReader(
  dialect: Dialect,
  firstLine: number,
  sink: RecordSink,
): RecordReader {
  const options: Options = { ...csvOptions(dialect), max_record_size: MAX_RECORD_BYTES };
  /** What is at hand, of which all before `at` is read; `held` has come after it. */
  let text = Buffer.alloc(0);
  let at = 0;
  let line = firstLine;
  let held = "";
  /** In the midst of a line that is too long: nothing is kept of it. */
  let skipping = false;

  function passLines(count: number): void {
    for (let i = 0; i < count; i++) {
      at = afterLine(text, at);
      line++;
    }
  }

  /** Tells the records before `end`; the code of the fault where one is faulty, which begins at `at`. */
  function readRecords(end: number): string | null {
    const start = at;
    let leftOut = 0;
    function passLeftOut(info: Pick<InfoRecord, "comment_lines" | "empty_lines">): void {
      const all = info.comment_lines + info.empty_lines;
      passLines(all - leftOut);
      leftOut = all;
    }
    function tell(record: (string | null)[], info: InfoRecord): null {
      passLeftOut(info);
      const fields = record.filter((field) => field !== null);
      if (fields.length > 0) sink.record(fields, line);
      while (at < start + info.bytes) passLines(1);
      return null;
    }
    try {
      parse(text.subarray(start, end), { ...options, on_record: tell });
      while (at < end) passLines(1);
      return null;
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      passLeftOut(error as unknown as InfoRecord);
      return error.code;
    }
  }

  function read(last: boolean): void {
    text = Buffer.concat([text.subarray(at), Buffer.from(held)]);
    at = 0;
    held = "";
    const end = last ? text.length : endOfLines(text);
    if (skipping && end > 0) {
      passLines(1);
      skipping = false;
    }
    while (at < end) {
      const fault = readRecords(end);
      if (fault === null) break;
      const goesOn = fault === NOT_CLOSED && !last;
      if (goesOn && text.length - at <= MAX_RECORD_BYTES) return;
      tellFault(goesOn ? TOO_LONG : fault);
      passLines(1);
    }
    if (skipping || text.length - at > MAX_RECORD_BYTES) skipLine();
  }

  function skipLine(): void {
    if (!skipping) tellFault(TOO_LONG);
    skipping = true;
    at = text.length - (text.at(-1) === CR ? 1 : 0);
  }

  function tellFault(code: string): void {
    sink.fault(line, FAULTS[code] ?? `cannot be read (${code})`);
  }

  return {
    write(piece) {
      held += piece;
      // What waits is read again with what follows: the work stays linear in all text.
      if (held.length >= text.length - at) read(false);
    },
    end: () => read(true),
  };
}

/** The place after the last line end that is certain: a CR at the end may be the first half of CRLF. */
function endOfLines(text: Buffer): number {
  return Math.max(text.lastIndexOf(LF), text.subarray(0, -1).lastIndexOf(CR)) + 1;
}

/** The place of the next line. */
function afterLine(text: Buffer, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === LF) return at + 1;
    if (text[at] === CR) return text[at + 1] === LF ? at + 2 : at + 1;
  }
  return text.length;
}
