import fc from "fast-check";
import { expect, test } from "vitest";
import { binaryCopyStream, float8Field, textField } from "#infra/postgres/copy/binary-copy.ts";
import { createBinaryRowReader } from "#infra/postgres/copy/copied.ts";

type Row = readonly [number: number | null, text: string | null];

async function copyOf(rows: readonly Row[]): Promise<Buffer> {
  const fields = [float8Field(rows.map(([n]) => n)), textField(rows.map(([, text]) => text))];
  const pieces: Buffer[] = [];
  for await (const piece of binaryCopyStream([{ length: rows.length, fields }])) pieces.push(piece);
  return Buffer.concat(pieces);
}

function read(pieces: Iterable<Uint8Array>, fields = 2): Row[] {
  const rows: Row[] = [];
  const reader = createBinaryRowReader(fields);
  for (const piece of pieces) {
    reader.read(piece, ({ bytes, view, starts, lengths }) => {
      const [numberAt = 0, textAt = 0] = starts;
      const [ofNumber = 0, ofText = 0] = lengths;
      const text = ofText < 0 ? null : bytes.toString("utf8", textAt, textAt + ofText);
      rows.push([ofNumber < 0 ? null : view.getFloat64(numberAt), text]);
    });
  }
  reader.end();
  return rows;
}

function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const anyRow = fc.tuple(
  fc.option(fc.double({ noNaN: true })),
  fc.option(fc.string({ unit: "grapheme" })),
);

test("rows of a binary copy are read as they were written, wherever it is cut", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow), sizes, async (rows, pieces) => {
      expect(read(cut(await copyOf(rows), pieces))).toEqual(rows);
    }),
  );
});

test("a binary copy that ends early anywhere is refused", async () => {
  const copy = await copyOf([[1.5, "α"]]);
  for (let bytes = 0; bytes < copy.length; bytes += 1) {
    expect(() => read([copy.subarray(0, bytes)])).toThrow("the copy ends within a row");
  }
});

test("a binary copy of rows with other fields is refused", async () => {
  const copy = await copyOf([[1.5, "α"]]);
  expect(() => read([copy], 3)).toThrow("a copied row has 2 fields instead of 3");
});

test("rows copied as text are no binary copy", () => {
  expect(() => read([Buffer.from("1.5\tno binary copy\n")])).toThrow("this is no binary copy");
});
