import { describe, expect, it } from "vitest";
import { meaningOf } from "#contracts/seismic-event/input-names.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { readText } from "./read-delimited.ts";
import { VARIANTS } from "./variants.ts";

const ORIGIN = ["time", "latitude", "longitude"];

/** The variants that say where and when in columns that are known. */
const RECOGNISED = VARIANTS.filter(({ headers }) => {
  const fields = headers.map((name) => meaningOf(name)?.field);
  const known = new Set(fields.map((field) => (field === "date" ? "time" : field)));
  return ORIGIN.every((field) => known.has(field as "time"));
});

describe("rows of the delimited reader", () => {
  it.each(RECOGNISED)("can be posted as they are: $title", ({ text, options }) => {
    const { rows } = readText(text, options);
    const validate = createEventValidator({ nowMs: Date.UTC(2025) });
    expect(rows.map((row) => validate(row)).filter(({ ok }) => !ok)).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
  });

  it("have a null magnitude where no column gives one, which the file is warned of once", () => {
    const { rows, warnings, headers } = readText(
      "time,lat,lon\n2011-03-11,38,142\n2011-03-12,1,2\n",
    );
    expect(rows.map((row) => row["magnitude"])).toEqual([null, null]);
    expect(headers).toEqual(["time", "lat", "lon"]);
    expect(warnings).toEqual([
      "1: No column is recognised as magnitude; it is null, not known, in all rows",
    ]);
    const validate = createEventValidator({ nowMs: Date.UTC(2025) });
    expect(rows.map((row) => validate(row).ok)).toEqual([true, true]);
  });

  it.each(["", "-", "nan", "NULL", "-9", "-999"])(
    "have a null magnitude where the cell is %j, and can be posted",
    (cell) => {
      const { rows } = readText(`time,lat,lon,mag\n2011-03-11,38,142,${cell}\n`);
      expect(rows).toMatchObject([{ mag: null }]);
      const validate = createEventValidator({ nowMs: Date.UTC(2025) });
      expect(rows.map((row) => validate(row).ok)).toEqual([true]);
    },
  );

  it("keep what was replaced, in the event too", () => {
    const { rows } = readText("time,lat,lon,mag,type\n2011-03-11,38,142,-9,quarry\n");
    const validate = createEventValidator({ nowMs: Date.UTC(2025) });
    expect(rows.map((row) => validate(row))).toMatchObject([
      {
        ok: true,
        record: {
          magnitude: null,
          event_type: "quarry blast",
          extra: { mag: -9, type: "quarry" },
        },
      },
    ]);
  });
});
