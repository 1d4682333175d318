import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/quakeml-writer.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { anyRecord, storableText } from "../../../support/arbitrary-record.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { ALL_MEMBERS } from "../../../support/formats/quakeml-documents.ts";
import { runs } from "../../../support/runs.ts";
import { withKept } from "./arbitrary-kept.ts";
import { anyMechanism } from "./arbitrary-mechanism.ts";
import { exportedCatalogue } from "./exported-catalogue.ts";
import { readPieces } from "./read-pieces.ts";

const EVENT_ID = "00000000-0000-8000-8000-00000000000";

/** As records are stored: no empty `extra`, and no negative zero, which JSON has not. */
const validRecord = anyRecord.map((record) => ({
  ...(JSON.parse(JSON.stringify(record)) as SeismicEventRecord),
  ...(Object.keys(record.extra ?? {}).length === 0 ? { extra: null } : {}),
}));

function write(records: readonly SeismicEventRecord[]): string {
  const writer = createQuakemlWriter(exportedCatalogue("Ātea <&> catalogue"));
  const rows = records.map((record, i) =>
    writer.row(exportRowOf({ id: `${EVENT_ID}${i}`, ...record })),
  );
  return writer.begin() + rows.join("") + writer.end();
}

function validated(rows: readonly JsonObject[]): unknown[] {
  const validate = createEventValidator({ nowMs: Date.now() });
  return rows.map((row) => {
    const result = validate(row);
    return result.ok ? result.record : result.errors;
  });
}

describe("QuakeML written and read again", () => {
  it("is the same record, wherever the text is cut", () => {
    fc.assert(
      fc.property(
        fc.array(validRecord, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(4000), { maxLength: 5 }),
        (records, cuts) => {
          const read = readPieces(write(records), cuts);
          expect(read.errors).toEqual([]);
          expect(validated(read.rows)).toEqual(records);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it("is the same focal mechanism, in QuakeML's own elements where they can hold it", () => {
    fc.assert(
      fc.property(
        anyRecord,
        fc.array(anyMechanism, { minLength: 1, maxLength: 3 }),
        (record, list) => {
          const text = write([{ ...record, extra: null, focal_mechanisms: list }]);
          const read = readPieces(text, []);
          expect(read.rows[0]?.["focal_mechanisms"]).toEqual(list);
          expect(text).not.toContain('"focal_mechanisms"');
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("is the same of what extra keeps of an origin and a magnitude, right or wrong", () => {
    fc.assert(
      fc.property(withKept(anyRecord), (record) => {
        const read = readPieces(write([record]));
        expect(read.errors).toEqual([]);
        expect(read.rows[0]?.["extra"] ?? null).toEqual(record.extra);
        expect(read.rows[0]?.["horizontal_uncertainty"] ?? null).toBe(
          record.horizontal_uncertainty,
        );
      }),
      { numRuns: runs(3000) },
    );
  });

  it("has all that was read of an agency's event in QuakeML's own elements", () => {
    const [row = {}] = readPieces(ALL_MEMBERS).rows;
    const { public_id, creation_time, version, ...kept } = row["extra"] as JsonObject;
    const result = createEventValidator({ nowMs: Date.now() })({ ...row, extra: kept });
    if (!result.ok) throw new Error(JSON.stringify(result.errors));
    const text = write([result.record]);
    expect(text).not.toContain("<ec:");
    expect(readPieces(text).rows).toEqual([{ ...row, extra: kept }]);
  });

  it("is the same identifier, whatever text it is", () => {
    fc.assert(
      fc.property(anyRecord, fc.option(storableText), (record, source_id) => {
        const read = readPieces(write([{ ...record, source_id }]), []);
        expect(read.rows[0]?.["source_id"] ?? null).toBe(source_id);
      }),
    );
  });

  it("carries the provenance of merged events", () => {
    const source_events = [
      {
        catalogue_id: "a",
        event_id: "b",
        source_id: null,
        source: "ISC <1>",
        time_difference: 0.1,
        distance: 2e-7,
        quality_score: 55,
        chosen: true,
      },
    ];
    const [record] = fc.sample(anyRecord, { numRuns: 1, seed: 1 });
    if (record === undefined) throw new Error("no sample");
    const read = readPieces(write([{ ...record, source_events }]), []);
    expect(read.rows[0]?.["source_events"]).toEqual(source_events);
  });

  it("has our own element only where QuakeML cannot say it", () => {
    const plain = { ...blank, source_id: "2024p344188", region: "Taupō & <Rotorua>", depth: 5.2 };
    expect(write([plain])).not.toContain("<ec:");
    expect(write([{ ...plain, extra: { a: 1 } }])).toContain("<ec:attributes>{&quot;extra&quot;");
    expect(write([{ ...plain, region: " blanks " }])).toContain("<text>blanks</text>");
  });
});

const blank = fc.sample(anyRecord, { numRuns: 1, seed: 2 }).map((record) => ({
  ...record,
  magnitude: 5,
  magnitude_type: "Mw",
  depth: 1,
  region: null,
  agency_id: null,
  author: null,
  extra: null,
  focal_mechanisms: null,
}))[0] as SeismicEventRecord;
