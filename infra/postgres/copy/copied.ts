/*
 * Rows read from both formats of COPY; apart from the connections, whose library the threads that write files
 * do without.
 */

/**
 * PostgreSQL's text COPY format (manual, COPY, "Text Format"), as written by `copy … to stdout`: one
 * line per row, tabs between fields, \N for null, backslash escapes. For 1,000,000 rows of 33
 * columns, reading it was three times faster than the driver's query protocol.
 */

/** One row: the text of each field. */
export type TextRow = (string | null)[];

const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const CAPITAL_N = 0x4e;
const NULL_LENGTH = 2;
const OTHER_ESCAPE = /\\[^N]/;
const ESCAPE = /\\(.)/g;
const ESCAPED: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

export function createTextCopyReader() {
  /** Of a row that is not complete: joined once, since a row may be many megabytes. */
  let rest: Uint8Array[] = [];
  return {
    /** The rows that `bytes` complete, made lazily. */
    read(bytes: Uint8Array): IteratorObject<TextRow> {
      const last = bytes.lastIndexOf(NEWLINE);
      if (last === -1) {
        if (bytes.length > 0) rest.push(bytes);
        return Iterator.from<TextRow>([]);
      }
      // Only whole lines are decoded, so no character is cut.
      const text = Buffer.concat([...rest, bytes.subarray(0, last)]).toString("utf8");
      rest = last + 1 < bytes.length ? [bytes.subarray(last + 1)] : [];
      return text.split("\n").values().map(readTextRow);
    },
    /** @throws Error when a row is incomplete */
    end(): void {
      if (rest.length > 0) throw new Error("the copy ends within a row");
    },
  };
}

/** The fields of a line without its newline. Most are null, of which no text is made. */
export function readTextRow(line: string): TextRow {
  const fields: TextRow = [];
  const escaped = OTHER_ESCAPE.test(line);
  for (let at = 0; at <= line.length; ) {
    // Null alone: a backslash of a value is written as two.
    if (line.charCodeAt(at) === BACKSLASH && line.charCodeAt(at + 1) === CAPITAL_N) {
      fields.push(null);
      at += NULL_LENGTH + 1;
      continue;
    }
    const tab = line.indexOf("\t", at);
    const end = tab === -1 ? line.length : tab;
    const field = line.slice(at, end);
    fields.push(escaped && field.includes("\\") ? field.replace(ESCAPE, unescaped) : field);
    at = end + 1;
  }
  return fields;
}

function unescaped(_: string, character: string): string {
  return ESCAPED[character] ?? character;
}

/**
 * One row of PostgreSQL's binary COPY format (`binary-copy.ts` writes it). It lends its place to each row in
 * turn: what is kept of a row has to be copied.
 */
export type BinaryRow = {
  readonly bytes: Buffer;
  /** Of the same bytes; integers and floats are big-endian. */
  readonly view: DataView;
  /** Where the value of each field begins. */
  readonly starts: Int32Array;
  /** Its bytes, −1 for null. */
  readonly lengths: Int32Array;
};

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
/** The signature, 32 bits of flags and the length of an extension, which is 0. */
const HEADER_BYTES = SIGNATURE.length + 8;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
/** Instead of a number of fields. */
const TRAILER = -1;

/**
 * Reads copies of rows with `fields` fields, which may be cut anywhere. All pieces go through one
 * buffer: garbage of the size of the copy would be megabytes before it is collected.
 */
export function createBinaryRowReader(fields: number) {
  const starts = new Int32Array(fields);
  const lengths = new Int32Array(fields);
  let row = rowIn(Buffer.allocUnsafeSlow(FIRST_BYTES), starts, lengths);
  /** What is in the buffer and not read yet. */
  let at = 0;
  let end = 0;
  let hasBegun = false;
  let hasEnded = false;

  function append(piece: Uint8Array): void {
    const rest = row.bytes.subarray(at, end);
    const needed = rest.length + piece.length;
    if (needed > row.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * row.bytes.length));
      row = rowIn(larger, starts, lengths);
    }
    row.bytes.set(rest);
    row.bytes.set(piece, rest.length);
    at = 0;
    end = needed;
  }

  return {
    /** Passes each row that the piece completes to `take`. @throws Error when they are no such copy */
    read(piece: Uint8Array, take: (row: BinaryRow) => void): void {
      append(piece);
      if (!hasBegun && end >= HEADER_BYTES) {
        requireSignature(row.bytes);
        hasBegun = true;
        at = HEADER_BYTES;
      }
      while (hasBegun && !hasEnded && at + COUNT_BYTES <= end) {
        hasEnded = row.view.getInt16(at) === TRAILER;
        const next = hasEnded ? at + COUNT_BYTES : locateFields(row, at, end);
        if (next === null) return;
        at = next;
        if (!hasEnded) take(row);
      }
    },
    /** @throws Error when the copy is incomplete */
    end(): void {
      if (!hasEnded || at < end) throw new Error("the copy ends within a row");
    },
  };
}

function requireSignature(bytes: Buffer): void {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw new Error("this is no binary copy");
  }
}

/** Finds the fields of the row at `at`; where it ends, null if it is not complete. */
function locateFields({ view, starts, lengths }: BinaryRow, at: number, end: number) {
  const fields = starts.length;
  const count = view.getInt16(at);
  if (count !== fields) throw new Error(`a copied row has ${count} fields instead of ${fields}`);
  let next = at + COUNT_BYTES;
  for (let i = 0; i < fields; i += 1) {
    const start = next + LENGTH_BYTES;
    if (start > end) return null;
    const length = view.getInt32(next);
    starts[i] = start;
    lengths[i] = length;
    next = length > 0 ? start + length : start;
  }
  return next > end ? null : next;
}

/** Of a piece, and some rows. */
const FIRST_BYTES = 128 * 1024;

function rowIn(bytes: Buffer, starts: Int32Array, lengths: Int32Array): BinaryRow {
  return { bytes, view: new DataView(bytes.buffer), starts, lengths };
}
