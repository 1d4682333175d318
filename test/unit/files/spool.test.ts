import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSpool } from "#infra/files/spool.ts";
import { openResources, spoolsAmong } from "../../support/open-resources.ts";
import { runs } from "../../support/runs.ts";

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
