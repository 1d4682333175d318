import { CsvError, type InfoRecord, type Options, parse } from "csv-parse/sync";

const LF = 10;
const CR = 13;

/**
 * The text received and not yet read, line by line. Unread text is looked at again with what follows
 * only after doubling, so the work stays linear.
 */
function createLineBuffer(firstLine: number) {
  let text = Buffer.alloc(0);
  let at = 0;
  let line = firstLine;
  /** Later pieces. */
  let later = "";

  return {
    /** Whether what has come since is as much as what is unread. */
    add(piece: string): boolean {
      later += piece;
      return later.length >= text.length - at;
    },
    /** Makes all that was added readable; returns the offset after the last whole line. */
    take(isLast: boolean): number {
      text = Buffer.concat([text.subarray(at), Buffer.from(later)]);
      at = 0;
      later = "";
      // A CR at the end may be half of a CRLF.
      return isLast
        ? text.length
        : Math.max(text.lastIndexOf(LF), text.subarray(0, -1).lastIndexOf(CR)) + 1;
    },
    at: () => at,
    line: () => line,
    unread: () => text.length - at,
    bytes: (start: number, end: number) => text.subarray(start, end),
    pass(count: number): void {
      for (let i = 0; i < count; i++) {
        at = afterLine(text, at);
        line++;
      }
    },
    /** Drops the rest, but for a CR at its end, which may be half of a CRLF. */
    drop(): void {
      at = text.length - (text.at(-1) === CR ? 1 : 0);
    },
  };
}

/** The offset of the next line. */
function afterLine(text: Buffer, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === LF) return at + 1;
    if (text[at] === CR) return text[at + 1] === LF ? at + 2 : at + 1;
  }
  return text.length;
}

export type Delimiter = "," | "\t" | ";" | "|" | " ";

/**
 * How a file writes its rows. The delimiter `" "` means runs of blanks and tabs. FDSN text has no
 * quoting (FDSN Event Web Service 1.2, "text output format"): `"` is an ordinary character there.
 */
export type Dialect = { readonly delimiter: Delimiter; readonly quoting: boolean };

/** csv-parse makes an empty field of two blanks in a row; only a quoted empty field is one. */
const BETWEEN_BLANKS: Options = {
  delimiter: [" ", "\t"],
  cast: (value, { quoting }) => (value === "" && !quoting ? null : value),
};

/** csv-parse options for a dialect. Blanks around unquoted fields are dropped. */
export function csvOptions({ delimiter, quoting }: Dialect): Options {
  return {
    quote: quoting ? '"' : null,
    record_delimiter: ["\r\n", "\n", "\r"],
    comment: "#",
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
    // Programs that separate by tabs put quotes into texts as they are.
    relax_quotes: delimiter === "\t",
    ...(delimiter === " " ? BETWEEN_BLANKS : { delimiter, trim: true }),
  };
}

/** Far above any event: `extra` and mechanisms have 64 KiB each. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

const TOO_LONG = "CSV_MAX_RECORD_SIZE";
const NOT_CLOSED = "CSV_QUOTE_NOT_CLOSED";
const TEXT_AFTER_QUOTE = "holds text after the closing quote of a field";

/** Messages by csv-parse's error codes; its own count lines from where it was restarted. */
const FAULTS: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE:
    'holds a quote inside a field that does not begin with one; write it as "" in quotes',
  CSV_INVALID_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: TEXT_AFTER_QUOTE,
  [TOO_LONG]: `is longer than ${MAX_RECORD_BYTES} bytes`,
  [NOT_CLOSED]: "opens a quote that is never closed",
};

type RecordSink = {
  /** `line` is where the record begins; `text`, during the call, is the record as it stands there. */
  readonly record: (fields: readonly string[], line: number, text: () => string) => void;
  readonly fault: (line: number, message: string) => void;
};

/**
 * Emits the fields of each record of a text in pieces. Lines end with LF, CRLF or CR; blank lines
 * and lines that begin with `#` are skipped. csv-parse reads all complete lines, and is restarted at
 * the next line after a fault: with its own skipping of bad records it would stay inside an open
 * quote and lose the rows up to the next one.
 */
export function createRecordReader(dialect: Dialect, firstLine: number, sink: RecordSink) {
  const lines = createLineBuffer(firstLine);
  const readRecords = createRecordParser(dialect, lines, sink.record);
  /** Inside a line that is too long, of which nothing is kept. */
  let skipping = false;

  function read(last: boolean): void {
    const end = lines.take(last);
    if (skipping && end > 0) {
      lines.pass(1);
      skipping = false;
    }
    while (lines.at() < end) {
      const fault = readRecords(end);
      if (fault === null) break;
      const goesOn = fault === NOT_CLOSED && !last;
      if (goesOn && lines.unread() <= MAX_RECORD_BYTES) return;
      tellFault(goesOn ? TOO_LONG : fault);
      lines.pass(1);
    }
    if (skipping || lines.unread() > MAX_RECORD_BYTES) skipLine();
  }

  function skipLine(): void {
    if (!skipping) tellFault(TOO_LONG);
    skipping = true;
    lines.drop();
  }

  function tellFault(code: string): void {
    sink.fault(lines.line(), FAULTS[code] ?? `cannot be read (${code})`);
  }

  return {
    write(piece: string): void {
      if (lines.add(piece)) read(false);
    },
    end: (): void => read(true),
  };
}

/**
 * Returns what emits the records before an offset, and gives the code of a fault, with `lines` at the
 * faulty record.
 */
function createRecordParser(
  dialect: Dialect,
  lines: ReturnType<typeof createLineBuffer>,
  emit: RecordSink["record"],
): (end: number) => string | null {
  const options: Options = { ...csvOptions(dialect), max_record_size: MAX_RECORD_BYTES };

  return (end) => {
    const start = lines.at();
    let leftOut = 0;
    function passLeftOut(info: Pick<InfoRecord, "comment_lines" | "empty_lines">): void {
      const all = info.comment_lines + info.empty_lines;
      lines.pass(all - leftOut);
      leftOut = all;
    }
    function tell(record: (string | null)[], info: InfoRecord): null {
      passLeftOut(info);
      const fields = record.filter((field) => field !== null);
      const end = start + info.bytes;
      if (fields.length > 0)
        emit(fields, lines.line(), () => lines.bytes(lines.at(), end).toString());
      while (lines.at() < end) lines.pass(1);
      return null;
    }
    try {
      parse(lines.bytes(start, end), { ...options, on_record: tell });
      while (lines.at() < end) lines.pass(1);
      return null;
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      passLeftOut(error as unknown as InfoRecord);
      return error.code;
    }
  };
}
