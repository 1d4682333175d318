import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import type { EventsQuery } from "#contracts/http/events.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { CatalogueAccess, Editing } from "#contracts/rights.ts";
import {
  decodeCursor,
  type EventCursor,
  encodeCursor,
  filtersOfCursor,
} from "#projections/read/pages.ts";
import { paginationFamily } from "#services/events/reads.ts";
import {
  catalogueTag,
  changesTag,
  guestTag,
  matchesStrongly,
  matchesWeakly,
  parseEntityTags,
  versionTag,
} from "#services/headers.ts";
import { testRows } from "../../support/test-rows.ts";

const latitude = fc.double({ min: -90, max: 90, noNaN: true }).map((degrees) => degrees + 0);
const arbitraryFilters: fc.Arbitrary<EventFilters> = fc.record(
  {
    minMagnitude: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    minLatitude: latitude,
    eventType: fc.array(fc.constantFrom("earthquake", "quarry blast", "séisme"), { minLength: 1 }),
    startTime: fc.constantFrom("2016-11-13T11:02:56.346Z", "1063-01-01T00:00:00Z"),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const arbitraryCursor: fc.Arbitrary<EventCursor> = fc.record(
  {
    walk: fc.constantFrom("events", "filtered"),
    catalogueId: fc.uuid(),
    version: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    order: fc.constantFrom("time", "time-asc", "magnitude", "magnitude-asc"),
    filters: arbitraryFilters,
    key: fc.record({
      magnitude: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0)),
      time: fc.constantFrom("2016-11-13 11:02:56+00", "1063-01-01 00:00:00.000001+00"),
      id: fc.uuid(),
    }),
    side: fc.constantFrom("after", "before"),
    limit: fc.integer({ min: 1, max: 10_000 }),
  },
  { noNullPrototype: true },
);

test("a cursor comes back as it was given", () => {
  fc.assert(
    fc.property(arbitraryCursor, (cursor) => {
      const text = encodeCursor(cursor);
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor(text)).toEqual(cursor);
    }),
  );
});

function codeOf(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    return error instanceof Refusal ? error.code : error;
  }
  return null;
}

test("any text that is not a cursor is INVALID_CURSOR", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), fc.json());
  fc.assert(
    fc.property(text, (cursor) => {
      expect(codeOf(() => decodeCursor(cursor))).toBe("INVALID_CURSOR");
    }),
  );
});

const valid: EventCursor = {
  walk: "events",
  catalogueId: "b6b1f7a2-6f0e-4c7e-9a67-1f9c2f3f5d11",
  version: 3,
  order: "time",
  filters: {},
  key: {
    magnitude: null,
    time: "2016-11-13 11:02:56+00",
    id: "b6b1f7a2-6f0e-8c7e-9a67-1f9c2f3f5d11",
  },
  side: "after",
  limit: 100,
};

/** What an attacker can make: the checksum is no secret. */
function forged(value: unknown): string {
  const json = Buffer.from(JSON.stringify(value));
  const checksum = createHash("sha256").update(json).digest().subarray(0, 6);
  return Buffer.concat([checksum, json]).toString("base64url");
}

testRows<readonly [string, unknown]>(
  "a forged cursor is INVALID_CURSOR",
  [
    ["no object", null],
    ["a further member", { ...valid, admin: true }],
    ["a member less", { ...valid, key: undefined }],
    ["another order", { ...valid, order: "depth" }],
    ["a fraction of a version", { ...valid, version: 1.5 }],
    ["a negative version", { ...valid, version: -1 }],
    ["the version before the first", { ...valid, version: 0 }],
    ["a version beyond 32 bits", { ...valid, version: 2 ** 31 }],
    ["a version beyond 64 bits", { ...valid, version: 2 ** 64 }],
    ["a version as text", { ...valid, version: "1" }],
    ["a time with a comma", { ...valid, key: { ...valid.key, time: "2016-02-03 00:00:00,5+00" } }],
    [
      "a time with a thousand digits",
      { ...valid, key: { ...valid.key, time: `2016-02-03 00:00:00.${"1".repeat(1_000)}+00` } },
    ],
    ["no day of the calendar", { ...valid, key: { ...valid.key, time: "2016-02-30 00:00:00+00" } }],
    ["a time of another zone", { ...valid, key: { ...valid.key, time: "2016-02-03 00:00:00+01" } }],
    ["no id", { ...valid, key: { ...valid.key, id: "'" } }],
    ["a filter that is no text", { ...valid, filters: { minMagnitude: {} } }],
    ["a filter beyond its bounds", { ...valid, filters: { minLatitude: "91" } }],
    ["filters that contradict each other", { ...valid, filters: { minDepth: "2", maxDepth: "1" } }],
    ["a circle without its centre", { ...valid, filters: { maxRadiusKm: "30" } }],
    ["a filter that there is not", { ...valid, filters: { orderBy: "time" } }],
    ["no limit", { ...valid, limit: 0 }],
    ["a limit beyond every bound", { ...valid, limit: 1e9 }],
  ],
  (_, value) => {
    expect(decodeCursor(forged(valid))).toEqual(valid);
    expect(codeOf(() => decodeCursor(forged(value)))).toBe("INVALID_CURSOR");
  },
);

/** A ring of as many vertices as an address may have, with all digits of a double. */
const RING = Array.from({ length: 500 }, (_, i) => {
  const angle = (i * Math.PI) / 250;
  return `${175 + Math.cos(angle)} ${-40 + Math.sin(angle)}`;
});
const POLYGON = `POLYGON ((${[...RING, RING[0]].join(", ")}))`;

test("the cursor of a polygon of 500 vertices is shorter than 12 KB", () => {
  const cursor = { ...valid, filters: { polygon: POLYGON } };
  const text = encodeCursor(cursor);
  expect(text.length).toBeLessThan(12_000);
  expect(decodeCursor(text)).toEqual(cursor);
});

test("a cursor that would become too long when it is read is INVALID_CURSOR", () => {
  const json = deflateSync(JSON.stringify({ ...valid, walk: " ".repeat(10 ** 7) }));
  const checksum = createHash("sha256").update(json).digest().subarray(0, 6);
  const text = Buffer.concat([checksum, json]).toString("base64url");
  expect(codeOf(() => decodeCursor(text))).toBe("INVALID_CURSOR");
});

const REGION = { region: "0c7d8f0e-3c2b-4b1a-9d55-2f6b8a1c4e77" };
const area = [
  [[[174, -42] as const, [176, -42] as const, [176, -40] as const, [174, -42] as const]],
];

describe("a cursor of filters by a region", () => {
  const regionArea = { id: "", revision: "a", area };
  const text = encodeCursor({ ...valid, filters: { ...REGION, regionArea } });
  const cursor = decodeCursor(text);

  test("has its id and its revision, and not what it is", () => {
    expect(cursor).toEqual({ ...valid, filters: REGION, regionRevision: "a" });
  });

  test("goes on in the region as it was at the beginning", () => {
    expect(filtersOfCursor(cursor, { regionArea })).toEqual({ ...REGION, regionArea });
    expect(filtersOfCursor(cursor, { ...REGION, regionArea })).toEqual({ ...REGION, regionArea });
  });

  test.each<[string, EventFilters]>([
    ["a region that has changed", { regionArea: { ...regionArea, revision: "b" } }],
    ["a region that is gone", {}],
    ["another region", { region: valid.catalogueId, regionArea }],
    ["a further filter", { ...REGION, regionArea, minMagnitude: 3 }],
  ])("beside %s is INVALID_CURSOR", (_, request) => {
    expect(codeOf(() => filtersOfCursor(cursor, request))).toBe("INVALID_CURSOR");
  });

  test("and without a revision is INVALID_CURSOR", () => {
    expect(codeOf(() => filtersOfCursor({ filters: REGION }, {}))).toBe("INVALID_CURSOR");
  });
});

test("a cursor that an earlier release gave is understood", () => {
  const text =
    "Yf1yYPNueyJ3YWxrIjoiZmlsdGVyZWQiLCJjYXRhbG9ndWVJZCI6ImI2YjFmN2EyLTZmMGUtNGM3ZS05YTY3LTFmOWMyZjNmNWQxMSIsIm9yZGVyIjoibWFnbml0dWRlIiwiZmlsdGVycyI6eyJtaW5NYWduaXR1ZGUiOiIzIiwic3RhcnRUaW1lIjoiMjAxNi0xMS0xM1QwMDowMDowMFoiLCJldmVudFR5cGUiOiJlYXJ0aHF1YWtlLGV4cGxvc2lvbiJ9LCJ2ZXJzaW9uIjozLCJsaW1pdCI6MTAwLCJrZXkiOnsibWFnbml0dWRlIjpudWxsLCJ0aW1lIjoiMjAxNi0xMS0xMyAxMTowMjo1NiswMCIsImlkIjoiYjZiMWY3YTItNmYwZS04YzdlLTlhNjctMWY5YzJmM2Y1ZDExIn0sInNpZGUiOiJhZnRlciJ9";
  expect(decodeCursor(text)).toEqual({
    ...valid,
    walk: "filtered",
    order: "magnitude",
    filters: {
      minMagnitude: 3,
      startTime: "2016-11-13T00:00:00Z",
      eventType: ["earthquake", "explosion"],
    },
  });
});

const catalogue = {
  version: 4,
  name: "Canterbury",
  public_from: null,
  access: "internal" as CatalogueAccess,
  editing: "all" as Editing,
  metadata: null,
};

test("the tag of a catalogue changes with its version, its name and who may read what of it", () => {
  const tags = [
    catalogue,
    { ...catalogue, version: 5 },
    { ...catalogue, name: "Canterbury " },
    { ...catalogue, public_from: 4 },
    { ...catalogue, public_from: 1 },
    { ...catalogue, metadata: { title: "Canterbury" } },
    { ...catalogue, access: "restricted" as const },
    { ...catalogue, editing: "members" as const },
  ].map((one) => catalogueTag(one));
  expect(new Set(tags).size).toBe(8);
  expect(tags[0]).toMatch(/^"4-[0-9a-f]{12}"$/);
  expect(catalogueTag({ ...catalogue })).toBe(tags[0]);
});

test("what guests are told has tags of its own", () => {
  expect(guestTag(catalogue)).toBe(`${catalogueTag(catalogue).slice(0, -1)}-guest"`);
  expect(changesTag(4, 2)).toBe('"4-from-2"');
});

test("the tag of the events is the version", () => {
  expect(versionTag(12)).toBe('"12"');
});

testRows(
  "a header names its tags",
  [
    [undefined, null],
    ["", []],
    ["*", ["*"]],
    ['"4"', ['"4"']],
    ['W/"4"', ['W/"4"']],
    ['"4", W/"5" ,"a,b"', ['"4"', 'W/"5"', '"a,b"']],
    ["4", []],
  ],
  (header, tags) => {
    expect(parseEntityTags(header)).toEqual(tags);
  },
);

testRows("a tag is matched by itself and by *", [matchesStrongly, matchesWeakly], (matches) => {
  expect(matches(['"3"', '"4"'], '"4"')).toBe(true);
  expect(matches(["*"], '"4"')).toBe(true);
  expect(matches(['"44"'], '"4"')).toBe(false);
  expect(matches([], '"4"')).toBe(false);
});

test("a weak tag guards no write, and does for a read", () => {
  expect(matchesStrongly(['W/"4"'], '"4"')).toBe(false);
  expect(matchesWeakly(['W/"4"'], '"4"')).toBe(true);
});

test.each<[EventsQuery, string]>([
  [{}, "page"],
  [{ asOf: "3" }, "page"],
  [{ page: 2 }, "page"],
  [{ pageSize: 10 }, "page"],
  [{ limit: 10 }, "offset"],
  [{ offset: 0 }, "offset"],
  [{ offset: 5, limit: 10 }, "offset"],
  [{ cursor: "" }, "cursor"],
  [{ cursor: "x", limit: 10, direction: "asc" }, "cursor"],
  [{ direction: "desc" }, "cursor"],
  [{ pagination: "cursor", limit: 10 }, "cursor"],
])("%j is paged by %s", (query, family) => {
  expect(paginationFamily(query)).toBe(family);
});
