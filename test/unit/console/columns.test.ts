import { describe, expect, test } from "vitest";
import { decodeColumns } from "#services/console/api/columns.ts";

const CATALOGUE = "0f8fad5b-d9cb-469f-a165-70867728950e";

/** Two events packed by hand, byte by byte as contracts/docs/events.md tells. */
function packed(): ArrayBuffer {
  const header = {
    catalogue: CATALOGUE,
    version: 7,
    count: 2,
    columns: [
      { name: "id", type: "u32x2", offset: 512 },
      { name: "time", type: "f64", offset: 528 },
      { name: "latitude", type: "f32", offset: 544 },
      { name: "longitude", type: "f32", offset: 552 },
      { name: "depth", type: "f32", offset: 560 },
      { name: "magnitude", type: "f32", offset: 568 },
      { name: "magnitude_type", type: "u8", offset: 576, dictionary: [null, "Mw"] },
    ],
  };
  const json = new TextEncoder().encode(JSON.stringify(header).padEnd(504));
  const body = new ArrayBuffer(578);
  const bytes = new Uint8Array(body);
  const view = new DataView(body);
  bytes.set(new TextEncoder().encode("EQC1"));
  view.setUint32(4, json.length, true);
  bytes.set(json, 8);
  for (const [i, word] of [3, 0, 1, 41].entries()) view.setUint32(512 + 4 * i, word, true);
  for (const [i, ms] of [1_479_034_976_346.094, -1.5].entries()) {
    view.setFloat64(528 + 8 * i, ms, true);
  }
  const numbers = [-42.5, 10.25, 173, -179.5, 15, Number.NaN, 7.75, Number.NaN];
  for (const [i, number] of numbers.entries()) view.setFloat32(544 + 4 * i, number, true);
  view.setUint8(576, 1);
  return body;
}

describe("packed columns", () => {
  test("are read as they lie, unknown numbers as NaN, texts by their dictionary", () => {
    const columns = decodeColumns(packed());
    expect([columns.version, columns.count]).toEqual([7, 2]);
    expect([...columns.time]).toEqual([1_479_034_976_346.094, -1.5]);
    expect([...columns.latitude, ...columns.longitude]).toEqual([-42.5, 10.25, 173, -179.5]);
    expect([...columns.depth, ...columns.magnitude]).toEqual([15, Number.NaN, 7.75, Number.NaN]);
    expect(columns.idOf(0)).toBe("0f8fad5b-d9cb-869f-8000-000300000000");
    expect(columns.idOf(1)).toBe("0f8fad5b-d9cb-869f-8000-000100000029");
    expect([0, 1].map((i) => columns.textOf("magnitude_type", i))).toEqual(["Mw", null]);
    expect(columns.textOf("event_type", 0)).toBeNull();
    expect(columns.numbers("azimuthal_gap")).toBeUndefined();
  });

  test("are refused where they are none, or one is missing", () => {
    expect(() => decodeColumns(new ArrayBuffer(2))).toThrow("no columns");
    const broken = packed();
    const at = new TextDecoder().decode(broken).indexOf('"depth"');
    new Uint8Array(broken).set(new TextEncoder().encode('"d\\u0065 '), at);
    expect(() => decodeColumns(broken)).toThrow();
  });
});
