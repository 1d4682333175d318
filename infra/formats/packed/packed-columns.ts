import { createBinaryRowReader } from "../../postgres/copy/binary-rows.ts";
import {
  BLOCK_ROWS,
  type ColumnsHead,
  type ColumnsWriter,
  createColumnSpools,
} from "./columns-writer.ts";
import { packedHead, paddingAfter } from "./packed-header.ts";
import { dictionaryOf, lowBytes, requireFewTexts } from "./packed-texts.ts";
import { createPackedValues, type PackedValues } from "./packed-values.ts";

/** Packs rows of COPY's binary format, whose fields are the columns (contracts/http/event-columns.ts). */
export function createPackedColumns({
  catalogue,
  version,
  columns: names,
}: ColumnsHead): ColumnsWriter<Uint8Array> {
  const reader = createBinaryRowReader(names.length);
  const columns = names.map((name) => ({ name, values: createPackedValues(name) }));
  const all = columns.map(({ values }) => values);
  const spools = createColumnSpools(names.length);
  let block = newBlock(all);
  let rows = 0;
  let count = 0;

  function closed(): Uint8Array[] {
    const bytes = block.map(({ buffer }, i) => {
      return new Uint8Array(buffer, 0, rows * (all[i] as PackedValues).bytes);
    });
    block = newBlock(all);
    rows = 0;
    return bytes;
  }

  async function keep(blocks: readonly Uint8Array[]): Promise<void> {
    requireFewTexts(columns);
    await spools.write(blocks);
  }

  return {
    async take(bytes) {
      const full: Uint8Array[][] = [];
      reader.read(bytes, (row) => {
        for (let i = 0; i < all.length; i += 1) {
          const values = all[i] as PackedValues;
          values.put(block[i] as DataView, rows * values.bytes, row, i);
        }
        rows += 1;
        count += 1;
        if (rows === BLOCK_ROWS) full.push(closed());
      });
      for (const blocks of full) await keep(blocks);
    },
    async *pieces() {
      reader.end();
      await keep(closed());
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

function newBlock(columns: readonly PackedValues[]): DataView<ArrayBuffer>[] {
  return columns.map(({ bytes }) => new DataView(new ArrayBuffer(BLOCK_ROWS * bytes)));
}
