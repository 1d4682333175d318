import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { canonicalLine, eventJson } from "#infra/formats/json/writer.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { runs } from "../../../support/runs.ts";

const ID = "0d9f3b7a-4c1e-8a52-8000-000100000007";

test("a line is what RFC 8785 makes of the event as the JSON export writes it", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const row = exportRowOf({ id: ID, ...record });
      expect(canonicalLine(row)).toBe(`${canonicalize(JSON.parse(eventJson(row)))}\n`);
    }),
    { numRuns: runs(1_000) },
  );
});

test("numbers are as ECMAScript writes them, and members of structures in the order of UTF-16", () => {
  const row = exportRowOf({
    id: ID,
    ...emptyRecord({ time: "2016-11-13T11:02:56.340Z", latitude: 0, longitude: 0 }),
    region: "Ōtautahi \u2028 \u0007",
    extra: { "\uffff": 1, "\u{1f30f}": -0, b: 1e21, a: [1e-7, 5e-324, { d: null, c: true }] },
  });
  const texts = row.with(2, "-0").with(3, "1e-05").with(4, "1.5e+22");
  const line = canonicalLine(texts);
  expect(line).toContain('"depth":1.5e+22,');
  expect(line).toContain('"latitude":0,"latitude_uncertainty":null,"longitude":0.00001,');
  expect(line).toContain('"region":"Ōtautahi \u2028 \\u0007"');
  expect(line).toContain(
    '"extra":{"a":[1e-7,5e-324,{"c":true,"d":null}],"b":1e+21,"\u{1f30f}":0,"\uffff":1}',
  );
  expect(line).not.toContain("source_events");
  expect(line).not.toContain("source_count");
});
