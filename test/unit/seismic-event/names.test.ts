import fc from "fast-check";
import { expect, test } from "vitest";
import { movePoint } from "#contracts/seismic-event/input-names.ts";
import type { ColumnTarget } from "#contracts/seismic-event/named-columns.ts";
import { shiftDecimal } from "#infra/formats/decimal-number.ts";
import { faultyColumns } from "#services/domain/seismic-event/named-columns.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

test("the point of a number is moved as that of its decimal text, which loses nothing", () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
  fc.assert(
    fc.property(number, fc.integer({ min: -6, max: 6 }), (value, places) => {
      const shifted = Number(shiftDecimal(String(value), places));
      expect(movePoint(value, places)).toBe(shifted);
      expect(Number(movePoint(` ${value} `, places))).toBe(shifted);
    }),
    { numRuns: runs(5000) },
  );
});

testRows(
  "what is no number stays as it is",
  [["deep"], ["1e5e5"], ["1e"], ["0x10"], [""], [null], [true], [Number.NaN]],
  (value) => {
    expect(movePoint(value, -3)).toBe(value);
  },
);

const HEADERS = ["time", "lat", "lon", "Mag", "depth", "note", "km"];
const NAMES = ["time", "latitude", "longitude", "magnitude", "depth", "region", null] as const;

const columns = fc.dictionary(fc.constantFrom(...HEADERS), fc.constantFrom(...NAMES), {
  noNullPrototype: true,
});

test("columns are at fault exactly where a name would be there twice, or a column is not there", () => {
  fc.assert(
    fc.property(columns, fc.boolean(), (named, withForeign) => {
      const given = new Map(Object.entries(named));
      if (withForeign) given.set("other", "region");
      const names = HEADERS.map((header) =>
        Object.hasOwn(named, header) ? named[header] : header,
      );
      const kept = names.filter((name) => name !== null);
      const isFaulty = withForeign || new Set(kept).size < kept.length;
      expect(faultyColumns(given, { headers: HEADERS }).length > 0).toBe(isFaulty);
    }),
  );
});

test.each<[named: Record<string, ColumnTarget>, isFaulty: boolean]>([
  [{ t: "time", mag: "magnitude" }, false],
  [{ lat: "longitude", lon: "latitude" }, false],
  [{ size: "magnitude" }, true],
  [{ size: "magnitude", mag: "depth" }, false],
])("members of a JSON file that are %j are at fault: %s", (named, isFaulty) => {
  const file = {
    headers: ["latitude", "longitude", "magnitude"],
    members: ["t", "lat", "lon", "mag", "size"],
  };
  expect(faultyColumns(new Map(Object.entries(named)), file).length > 0).toBe(isFaulty);
});
