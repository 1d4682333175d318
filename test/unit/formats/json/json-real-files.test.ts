import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { readJson } from "./read-json.ts";

const DATA = join(process.env["REAL_DATA_DIR"] ?? "../shared/data", "geojson");

const FILES = ["usgs_classes_summary_3.json", "usgs_csep_summary_3.json"];

/** The events that JSON.parse finds. */
function countOf(text: string): number {
  const value = JSON.parse(text);
  return value.type === "Feature" ? 1 : value.features.length;
}

describe.skipIf(!existsSync(DATA))(`real files (looked for in ${DATA})`, () => {
  test.each(FILES)("%s is read whole, and its events can be posted", (name) => {
    const text = readFileSync(join(DATA, name), "utf8");
    const validate = createEventValidator({ nowMs: Date.now() });
    const { rows, errors, warnings, format } = readJson(text);
    expect({ format, errors }).toEqual({ format: "geojson", errors: [] });
    expect(rows).toHaveLength(countOf(text));
    expect(warnings.map(({ message }) => message.split(":")[0])).toEqual(["products is left out"]);
    for (const row of rows) {
      const result = validate(JSON.parse(JSON.stringify(row)));
      expect(result).toMatchObject({
        ok: true,
        record: { time: "2011-03-11T05:46:24.120Z", magnitude: 9.1, depth: 29 },
      });
    }
  });
});
