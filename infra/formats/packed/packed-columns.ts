import { type BinaryRow, createBinaryRowReader } from "../../postgres/copy/binary-rows.ts";
import {
  BLOCK_ROWS,
  type ColumnsHead,
  type ColumnsWriter,
  createColumnSpools,
} from "./columns-writer.ts";
import { packedHead, paddingAfter } from "./packed-header.ts";
import { dictionaryOf, lowBytes, requireFewTexts } from "./packed-texts.ts";
import { createPackedValues, type PackedValues } from "./packed-values.ts";

/** Packs rows of COPY's binary format, whose fields are the columns (contracts/http/events/event-columns.ts). */
export function createPackedColumns({
  catalogue,
  version,
  columns: names,
}: ColumnsHead): ColumnsWriter<Uint8Array> {
  const reader = createBinaryRowReader(names.length);
  const columns = names.map((name) => ({ name, values: createPackedValues(name) }));
  const block = createRowBlock(columns.map(({ values }) => values));
  const spools = createColumnSpools(names.length);
  let count = 0;

  async function keep(blocks: readonly Uint8Array[]): Promise<void> {
    requireFewTexts(columns);
    await spools.write(blocks);
  }

  return {
    async take(bytes) {
      const full: Uint8Array[][] = [];
      reader.read(bytes, (row) => {
        count += 1;
        if (block.put(row)) full.push(block.take());
      });
      for (const blocks of full) await keep(blocks);
    },
    async *pieces() {
      reader.end();
      await keep(block.take());
      const packed = columns.map(({ name, values }) => {
        const { texts } = values;
        return { name, type: values.type(), ...(texts && { dictionary: dictionaryOf(texts) }) };
      });
      yield packedHead({ catalogue, version, count, columns: packed });
      for (const [i, { type }] of packed.entries()) {
        const bytes = spools.read(i);
        yield* type === "u8" ? lowBytes(bytes) : bytes;
        yield paddingAfter(type, count);
      }
    },
    discard: () => spools.discard(),
  };
}

/** The values of the next rows, by column. */
function createRowBlock(columns: readonly PackedValues[]) {
  let views = newViews(columns);
  let rows = 0;

  return {
    /** Adds a row; true when the block is full. */
    put(row: BinaryRow): boolean {
      for (let i = 0; i < columns.length; i += 1) {
        const values = columns[i] as PackedValues;
        values.put(views[i] as DataView, rows * values.bytes, row, i);
      }
      rows += 1;
      return rows === BLOCK_ROWS;
    },
    /** The bytes of each column; the block is empty afterwards. */
    take(): Uint8Array[] {
      const bytes = views.map(({ buffer }, i) => {
        return new Uint8Array(buffer, 0, rows * (columns[i] as PackedValues).bytes);
      });
      views = newViews(columns);
      rows = 0;
      return bytes;
    },
  };
}

function newViews(columns: readonly PackedValues[]): DataView<ArrayBuffer>[] {
  return columns.map(({ bytes }) => new DataView(new ArrayBuffer(BLOCK_ROWS * bytes)));
}
