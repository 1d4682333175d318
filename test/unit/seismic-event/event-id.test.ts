import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  eventId,
  eventIdAt,
  eventIdPrefix,
  MAX_INDEX,
  MAX_REVISION,
} from "#contracts/seismic-event/event-id.ts";
import { createCopyBuffer } from "#infra/postgres/copy/copy-buffer.ts";
import type { CopyField } from "#infra/postgres/copy/copy-fields.ts";
import { countedUuidField, uuidField } from "#infra/postgres/copy/uuid-fields.ts";

/** The revision that added an event, and the event's index in it. */
function parseEventId(id: string): { revision: number; index: number } {
  return {
    revision: Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16) - 0x8000_0000,
    index: Number.parseInt(id.slice(28), 16),
  };
}

const catalogueId = fc.uuid({ version: 4 });
const revision = fc.integer({ min: 0, max: MAX_REVISION });
const index = fc.integer({ min: 0, max: MAX_INDEX });

test("an event id is a UUID of version 8", () => {
  fc.assert(
    fc.property(catalogueId, revision, index, (id, r, i) => {
      expect(z.uuid({ version: "v8" }).safeParse(eventId(id, r, i)).success).toBe(true);
    }),
  );
});

test("an event id tells its revision and index", () => {
  fc.assert(
    fc.property(catalogueId, revision, index, (id, r, i) => {
      expect(parseEventId(eventId(id, r, i))).toEqual({ revision: r, index: i });
    }),
  );
});

test("the ids of one catalogue sort by revision, then index", () => {
  const place = fc.tuple(revision, index);
  fc.assert(
    fc.property(catalogueId, place, place, (id, [r1, i1], [r2, i2]) => {
      const [a, b] = [eventId(id, r1, i1), eventId(id, r2, i2)];
      expect(a < b).toBe(r1 < r2 || (r1 === r2 && i1 < i2));
    }),
  );
});

test("catalogues that differ in a random bit have different event ids", () => {
  fc.assert(
    fc.property(catalogueId, catalogueId, (a, b) => {
      fc.pre(a.slice(0, 18) !== b.slice(0, 18));
      expect(eventId(a, 1, 0)).not.toBe(eventId(b, 1, 0));
    }),
  );
});

test("the ids of a revision share their prefix", () => {
  const id = "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b";
  expect(eventIdAt(eventIdPrefix(id, 5), 255)).toBe("7f3e1b52-9c4d-8a86-8000-0005000000ff");
  expect(eventId(id.toUpperCase(), 5, 255)).toBe(eventId(id, 5, 255));
});

test("the ids of a revision count on as COPY writes them", () => {
  const bytesOf = (field: CopyField, row: number): Buffer => {
    const buffer = createCopyBuffer(32);
    field(buffer, row);
    return buffer.take();
  };
  const firstAndNext = fc.tuple(fc.integer({ min: 0, max: MAX_INDEX - 5_000 }), fc.nat(5_000));
  fc.assert(
    fc.property(catalogueId, revision, firstAndNext, (id, r, [first, row]) => {
      const counted = countedUuidField(eventId(id, r, first));
      expect(bytesOf(counted, row)).toEqual(bytesOf(uuidField([eventId(id, r, first + row)]), 0));
    }),
  );
});

test("revisions and indexes that do not fit are refused", () => {
  const id = "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b";
  expect(() => eventId(id, MAX_REVISION + 1, 0)).toThrow(RangeError);
  expect(() => eventId(id, 1, MAX_INDEX + 1)).toThrow(RangeError);
  expect(() => eventId(id, 1, -1)).toThrow(RangeError);
  expect(() => eventId(id, 1.5, 0)).toThrow(RangeError);
});
