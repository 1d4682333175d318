import { expect, test } from "vitest";
import { catalogueTag, matchesTag, parseEntityTags, versionTag } from "#services/gateway/etag.ts";

const catalogue = { version: 4, name: "Canterbury", is_public: false };

test("the tag of a catalogue changes with its version, its name and its visibility", () => {
  const tags = [
    catalogue,
    { ...catalogue, version: 5 },
    { ...catalogue, name: "Canterbury " },
    { ...catalogue, is_public: true },
  ].map(catalogueTag);
  expect(new Set(tags).size).toBe(4);
  expect(tags[0]).toMatch(/^"4-[0-9a-f]{12}"$/);
  expect(catalogueTag({ ...catalogue })).toBe(tags[0]);
});

test("the tag of the events is the version", () => {
  expect(versionTag(12)).toBe('"12"');
});

test.each([
  [undefined, null],
  ["", []],
  ["*", ["*"]],
  ['"4"', ['"4"']],
  ['W/"4"', ['"4"']],
  ['"4", W/"5" ,"a,b"', ['"4"', '"5"', '"a,b"']],
  ["4", []],
])("the header %j names the tags %j", (header, tags) => {
  expect(parseEntityTags(header)).toEqual(tags);
});

test("a tag is matched by itself and by *", () => {
  expect(matchesTag(['"3"', '"4"'], '"4"')).toBe(true);
  expect(matchesTag(["*"], '"4"')).toBe(true);
  expect(matchesTag(['"44"'], '"4"')).toBe(false);
  expect(matchesTag([], '"4"')).toBe(false);
});
