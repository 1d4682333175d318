import fc from "fast-check";
import { expect } from "vitest";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import { detectFormat } from "#infra/formats/files/detect-format.ts";
import { runs } from "../../../support/runs.ts";
import { readFile } from "../read-file.ts";

const PARTS = 100_000;
const PUT = fc.oneof(
  fc.constantFrom("", "\n", "****", "NaN", "-1", " ", "#", "999999999999", "1e400", "ABCDEFGHIJKL"),
  fc.string({ maxLength: 6 }),
);
const CHANGE = fc.record({
  /** Place in the text, in parts of `PARTS`. */
  at: fc.nat(PARTS),
  length: fc.nat(40),
  put: PUT,
});

/**
 * Changes a file at a few places, by chance, and reads it: each event is a valid bulletin, which its row
 * shows, or it is counted as dropped and told.
 */
export function expectWholeEvents(text: string): void {
  const { format } = readFile(text);
  const changes = fc.array(CHANGE, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(changes, (places) => {
      const faulty = places.reduce(changed, text);
      if (detectFormat(faulty).family !== format) return;
      const read = readFile(faulty);
      const { read: events = 0, kept = 0, dropped = 0 } = read.elements?.event ?? {};
      expect([kept, kept + dropped]).toEqual([read.rows.length, events]);
      expect(read.errors).toHaveLength(dropped);
      for (const bulletin of read.bulletins) {
        expect(BulletinBody.parse(bulletin)).toStrictEqual(bulletin);
        expect(bulletin.origin).not.toHaveLength(0);
      }
    }),
    { numRuns: runs(1000), seed: 20_261_126 },
  );
}

function changed(text: string, { at, length, put }: { at: number; length: number; put: string }) {
  const from = Math.floor((at / PARTS) * text.length);
  return text.slice(0, from) + put + text.slice(from + length);
}
