import {
  COLUMNS_MAGIC,
  type ColumnsHeader,
  type PackedColumn,
  type PackedType,
} from "#contracts/http/events/event-columns.ts";

/** Of a value. */
export const PACKED_BYTES: Readonly<Record<PackedType, number>> = {
  u32x2: 8,
  f64: 8,
  f32: 4,
  u8: 1,
  u16: 2,
};

/** Columns begin at its multiples. */
const ALIGNMENT = 8;
/** Of the magic and the length of the header. */
const HEAD_BYTES = 8;

/** A header without the places of its columns. */
type Unplaced = Omit<ColumnsHeader, "columns"> & {
  readonly columns: readonly Omit<PackedColumn, "offset">[];
};

/** The bytes before the columns, in memory of their own. */
export function packedHead(header: Unplaced): Uint8Array {
  const encoder = new TextEncoder();
  // Larger offsets may have more digits, which make the header larger.
  for (let length = 0; ; ) {
    const text = encoder.encode(JSON.stringify(placed(header, HEAD_BYTES + length)));
    if (text.length <= length) return headOf(text, length);
    length = aligned(text.length);
  }
}

/** Bytes of nothing between a column and the next. */
export function paddingAfter(type: PackedType, count: number): Uint8Array {
  const bytes = PACKED_BYTES[type] * count;
  return new Uint8Array(aligned(bytes) - bytes);
}

function placed(header: Unplaced, firstOffset: number): ColumnsHeader {
  let next = firstOffset;
  const columns = header.columns.map((column) => {
    const offset = next;
    next += aligned(PACKED_BYTES[column.type] * header.count);
    return { ...column, offset };
  });
  return { ...header, columns };
}

/** @param length of the text with the spaces after it */
function headOf(text: Uint8Array, length: number): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES + length).fill(" ".charCodeAt(0));
  head.set(Buffer.from(COLUMNS_MAGIC));
  new DataView(head.buffer).setUint32(COLUMNS_MAGIC.length, length, true);
  head.set(text, HEAD_BYTES);
  return head;
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
