import { expect, test } from "vitest";
import type { CatalogueAccess, Editing } from "#contracts/catalogue-rights.ts";
import {
  catalogueTag,
  changesTag,
  guestTag,
  matchesStrongly,
  matchesWeakly,
  parseEntityTags,
  versionTag,
} from "#services/gateway/http/headers/etag.ts";
import { testRows } from "../../support/test-rows.ts";

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
