import fc from "fast-check";
import { expect, test } from "vitest";
import { createColumnNaming, faultyColumns } from "#services/domain/seismic-event/named-columns.ts";

const HEADERS = ["time", "lat", "lon", "Mag", "depth", "note", "km"];
const NAMES = ["time", "latitude", "longitude", "magnitude", "depth", "region", null];

const columns = fc.dictionary(fc.constantFrom(...HEADERS), fc.constantFrom(...NAMES), {
  noNullPrototype: true,
});

test("columns with names of their own are those of a file with these headers", () => {
  fc.assert(
    fc.property(
      columns,
      fc.array(fc.integer(), { minLength: 7, maxLength: 7 }),
      (named, values) => {
        fc.pre(Object.keys(named).length > 0 && faultyColumns(named, HEADERS).length === 0);
        const row = Object.fromEntries(HEADERS.map((header, i) => [header, values[i] ?? null]));
        const written = HEADERS.flatMap((header, i) => {
          const name = Object.hasOwn(named, header) ? named[header] : header;
          return name == null ? [] : [[name, values[i]] as const];
        });
        const names = written.map(([name]) => name);
        expect(new Set(names).size).toBe(names.length);
        const magnitude =
          names.includes("Mag") || names.includes("magnitude") ? {} : { magnitude: null };
        const result = createColumnNaming(named, HEADERS)(row);
        expect(result).toEqual({ ...magnitude, ...Object.fromEntries(written) });
      },
    ),
  );
});

test("columns are at fault exactly where a name would be there twice, or a column is not there", () => {
  fc.assert(
    fc.property(columns, fc.boolean(), (named, withForeign) => {
      const given = withForeign ? { ...named, other: "region" } : named;
      const names = HEADERS.map((header) =>
        Object.hasOwn(named, header) ? named[header] : header,
      );
      const kept = names.filter((name) => name !== null);
      const isFaulty = withForeign || new Set(kept).size < kept.length;
      expect(faultyColumns(given, HEADERS).length > 0).toBe(isFaulty);
    }),
  );
});

test("a null magnitude that a reader added gives way to the column that is named so", () => {
  const row = { size: 4.5, magnitude: null };
  expect(createColumnNaming({ size: "magnitude" }, ["size"])(row)).toEqual({ magnitude: 4.5 });
});
