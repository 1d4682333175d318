import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashExport, NoExport } from "#services/versions/hash-file.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const hashOf = (text: string, size = 7) => hashExport(inPieces(text, size));

describe("the hash of a JSON export", () => {
  test("is of its events in the order of their ids, however the file is written", async () => {
    const events = [
      { id: "b", magnitude: 5, extra: { z: 1, é: "🌏", a: [1, { d: null }] } },
      { magnitude: null, id: "a" },
    ];
    const sha256 = createHash("sha256")
      .update('{"id":"a","magnitude":null}\n')
      .update('{"extra":{"a":[1,{"d":null}],"z":1,"é":"🌏"},"id":"b","magnitude":5}\n')
      .digest("hex");
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.integer({ min: 1, max: 99 }), async (blanks, size) => {
        const head = { catalogue: { id: "c", name: "events" }, version: 1 };
        for (const list of [events, events.toReversed()]) {
          const text = JSON.stringify({ ...head, events: list }, null, blanks);
          expect(await hashOf(text, size)).toEqual({ sha256, count: 2 });
        }
      }),
      { numRuns: runs(20) },
    );
  });

  test("without any event is that of nothing", async () => {
    const sha256 = createHash("sha256").digest("hex");
    expect(await hashOf('{"events":[]}')).toEqual({ sha256, count: 0 });
  });

  testRows(
    "a text that is no hash file is refused",
    ["", "[]", "{}", '{"features":[]}', '{"events":[1]}', '{"events":[{"time":1}]}'],
    async (text) => {
      await expect(hashOf(text)).rejects.toThrow(NoExport);
    },
  );

  testRows(
    "one that is cut off or broken is refused",
    ['{"events":[{"id":"a"}', '{"events":[{"id":"a",}]}'],
    async (text) => {
      await expect(hashOf(text)).rejects.toThrow(NoExport);
    },
  );
});
