import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CatalogueMetadataInput } from "#contracts/catalogue-metadata.ts";
import { testRows } from "../../support/test-rows.ts";

const isTaken = (metadata: unknown) => CatalogueMetadataInput.safeParse(metadata).success;
const by = (creator: object) => isTaken({ creators: [{ name: "Example, Ann", ...creator }] });

const ORCIDS = ["0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X"];
const RORS = ["03vek6s52", "042nb2s44", "05dxps055"];

describe("what a catalogue is cited by", () => {
  testRows(
    "takes an ORCID iD",
    [...ORCIDS, ...ORCIDS.map((id) => `https://orcid.org/${id}`)],
    (orcid) => {
      expect(by({ orcid })).toBe(true);
    },
  );

  testRows("takes a ROR id", [...RORS, ...RORS.map((id) => `https://ror.org/${id}`)], (ror) => {
    expect(by({ ror })).toBe(true);
  });

  test("refuses an id with any other digit in the place of one", () => {
    const places = fc.record({ at: fc.nat(18), digit: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.constantFrom(...ORCIDS), places, (orcid, { at, digit }) => {
        const before = orcid[at] ?? "";
        fc.pre(/\d/.test(before) && before !== String(digit));
        expect(by({ orcid: orcid.slice(0, at) + digit + orcid.slice(at + 1) })).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...RORS), fc.integer({ min: 0, max: 9 }), (ror, digit) => {
        fc.pre(!ror.endsWith(String(digit)));
        expect(by({ ror: ror.slice(0, -1) + digit })).toBe(false);
      }),
    );
  });

  testRows(
    "takes a DOI",
    ["10.1234/abc", "https://doi.org/10.5066/F7MS3QZH", "10.31905/D808B830", "10.1000.10/1"],
    (doi) => {
      expect(isTaken({ doi })).toBe(true);
    },
  );

  testRows<unknown>(
    "refuses what is none of these",
    [
      { doi: "doi:10.1234/abc" },
      { doi: "http://doi.org/10.1234/abc" },
      { doi: "10.12/abc" },
      { doi: "10.1234/a b" },
      { orcid: ORCIDS[0] },
      { license: "CC BY 4.0" },
      { references: ["javascript:alert(1)"] },
      { references: ["https://"] },
      { title: "" },
      { title: " " },
      { title: "two\nlines" },
      { title: "\u202eturned" },
      { title: "half \ud800" },
      { description: "bell \u0007" },
      { creators: [{}] },
      { creators: [{ name: "A", email: "a@example.org" }] },
      { creators: "Ann" },
      { creators: Array.from({ length: 201 }, () => ({ name: "A" })) },
      { unknown: 1 },
      [],
      "text",
    ],
    (metadata) => {
      expect(isTaken(metadata)).toBe(false);
    },
  );

  test("the largest that it takes fits into an append of the log", () => {
    const creators = Array.from({ length: 200 }, () => ({ name: "漢".repeat(500), ror: RORS[0] }));
    const references = Array.from({ length: 100 }, () => `https://${"a".repeat(1_992)}`);
    const largest = {
      title: "漢".repeat(500),
      description: "漢".repeat(10_000),
      creators,
      references,
    };
    expect(isTaken(largest)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(largest))).toBeLessThan(900 * 1024);
  });
});
