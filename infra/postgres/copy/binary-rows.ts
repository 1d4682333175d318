/**
 * One row of PostgreSQL's binary COPY format (see binary-copy). It lends its place to each row in
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
