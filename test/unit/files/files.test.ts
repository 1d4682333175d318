import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { openedFile } from "#infra/files/opened-file.ts";
import { createGathered, createSpool } from "#infra/files/spool.ts";
import { createTextIndex } from "#infra/files/text-index.ts";
import { openResources, spoolsAmong } from "../../support/open-resources.ts";
import { runs } from "../../support/runs.ts";
import { zip } from "../../support/zip.ts";

const leftovers = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("catalogue-spool-"));

test("a spool gives back what was written, in memory and beyond it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
      fc.nat(200),
      async (pieces, memoryBytes) => {
        const spool = createSpool({ memoryBytes });
        for (const piece of pieces) await spool.write(piece);
        const read: Uint8Array[] = [];
        for await (const piece of spool.read()) read.push(piece);
        expect(Buffer.concat(read)).toEqual(Buffer.concat(pieces));
      },
    ),
    { numRuns: runs(50) },
  );
});

test("a spool gives back any part of what was written", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }),
      fc.nat(200),
      fc.nat(300),
      fc.nat(300),
      async (pieces, memoryBytes, from, to) => {
        const spool = createSpool({ memoryBytes });
        for (const piece of pieces) await spool.write(piece);
        const written = Buffer.concat(pieces);
        expect(spool.length()).toBe(written.length);
        const part: Uint8Array[] = [];
        for await (const piece of spool.read({ from, to })) part.push(piece);
        expect(Buffer.concat(part)).toEqual(written.subarray(from, Math.max(from, to)));
      },
    ),
    { numRuns: runs(50) },
  );
});

test("a spool keeps no file open that it was opening when it was discarded, and takes nothing after", async () => {
  const spool = createSpool({ memoryBytes: 1 });
  const writing = spool.write(Buffer.alloc(1_000_000));
  await Promise.all([expect(writing).rejects.toThrow("discarded"), spool.discard()]);
  await expect(spool.write(Buffer.alloc(2))).rejects.toThrow("discarded");
  expect(spoolsAmong(await openResources())).toBe(0);
});

test("a spool leaves no file behind, whether it is read, given up or discarded", async () => {
  const before = await leftovers();
  const write = async () => {
    const spool = createSpool({ memoryBytes: 1 });
    await spool.write(Buffer.alloc(1_000_000));
    return spool;
  };
  for await (const _ of (await write()).read()) break;
  const discarded = await write();
  await discarded.discard();
  await discarded.discard();
  // Still open: its name is gone all the same.
  const open = await write();
  expect(await leftovers()).toEqual(before);
  await open.discard();
});

test("a spool puts small pieces together: a file that comes byte by byte takes the room of its bytes", async () => {
  const spool = createSpool();
  const byte = new Uint8Array([7]);
  for (let i = 0; i < 1_000_000; i++) await spool.write(byte);
  let pieces = 0;
  let bytes = 0;
  for await (const piece of spool.read()) {
    pieces += 1;
    bytes += piece.length;
  }
  expect(bytes).toBe(1_000_000);
  expect(pieces).toBe(16);
});

const MIB = 1024 * 1024;

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.slice(at, at + 64 * 1024);
}

test.each([true, false])(
  "a ZIP of one file is read from the disk, not held (deflated: %s)",
  async (isDeflated) => {
    const content = randomBytes(16 * MIB);
    const archive = zip({ "a.csv": content, "__MACOSX/._a.csv": "x" }, isDeflated);
    globalThis.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const { name, bytes } = await openedFile("a.zip", inPieces(archive), 64 * MIB);
    expect(name).toBe("a.csv");
    expect(spoolsAmong(await openResources())).toBe(1);
    let at = 0;
    for await (const piece of bytes) {
      expect(content.subarray(at, at + piece.length).equals(piece)).toBe(true);
      at += piece.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(at).toBe(content.length);
    expect(most).toBeLessThan(content.length);
    expect(spoolsAmong(await openResources())).toBe(0);
  },
);

test("of a ZIP whose file is too large or is not read to its end nothing is left", async () => {
  const archive = zip({ "a.csv": randomBytes(4 * MIB) });
  const large = await openedFile("a.zip", inPieces(archive), MIB);
  const whole = async () => {
    for await (const _ of large.bytes);
  };
  await expect(whole()).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  const left = await openedFile("a.zip", inPieces(archive), 8 * MIB);
  for await (const _ of left.bytes) break;
  await expect.poll(async () => spoolsAmong(await openResources())).toBe(0);
});

test("a ZIP of thousands of files is told apart from one of one, however long its directory is", async () => {
  const files = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`a file ${i}`, ""]));
  await expect(openedFile("a.zip", inPieces(zip(files)), 64 * MIB)).rejects.toThrow(
    /holds \d+ files, not one/,
  );
});

/** Sizes about those at which a piece is copied, kept as it is, or begins a new room. */
const size = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 16_000, max: 17_000 }),
  fc.integer({ min: 0, max: 70_000 }),
);

test("pieces of any sizes are given back in the order in which they came", () => {
  fc.assert(
    fc.property(fc.array(size, { maxLength: 30 }), (sizes) => {
      const gathered = createGathered();
      const pieces = sizes.map((bytes, i) => Buffer.alloc(bytes, i + 1));
      for (const piece of pieces) gathered.add(piece);
      const all = Buffer.concat(pieces);
      expect(gathered.length()).toBe(all.length);
      expect(Buffer.concat(gathered.pieces()).equals(all)).toBe(true);
    }),
  );
});

describe("an index of texts", () => {
  it("finds the numbers that were added under a text, in order, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 5000 }), (texts) => {
        const index = createTextIndex();
        const expected = new Map<string, number[]>();
        for (const [number, text] of texts.entries()) {
          index.add(text, number);
          expected.set(text, [...(expected.get(text) ?? []), number]);
        }
        for (const [text, numbers] of expected) expect(index.numbersOf(text)).toEqual(numbers);
        expect(index.numbersOf("none of them")).toEqual([]);
      }),
      { numRuns: runs(50) },
    );
  });
});
