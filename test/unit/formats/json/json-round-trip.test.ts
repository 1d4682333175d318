import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SeismicEventRecord, SourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createGeojsonWriter } from "#infra/formats/json/geojson-writer.ts";
import { createJsonWriter } from "#infra/formats/json/json-writer.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { runs } from "../../../support/runs.ts";
import { exportRows } from "./exported.ts";
import { readJson } from "./read-json.ts";

const FORMATS = [
  ["json", createJsonWriter],
  ["geojson", createGeojsonWriter],
] as const;

const SOURCE: SourceEvent = {
  catalogue_id: "c1",
  event_id: "e1",
  source_id: 'a "quoted"\n id',
  source: "A",
  time_difference: 0.25,
  distance: 1e-7,
  quality_score: 61.5,
  chosen: true,
};

/** JSON has no negative zero when JSON.stringify writes it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** An `extra` without members is none, once it was validated. */
function asImported(record: SeismicEventRecord): SeismicEventRecord {
  const isEmpty = record.extra !== null && Object.keys(record.extra).length === 0;
  return isEmpty ? { ...record, extra: null } : record;
}

/** The text in pieces of at most the given lengths, over and over. */
function piecesOf(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

const lengths = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });

describe.each(FORMATS)("%s written, read and validated", (format, createWriter) => {
  const validate = createEventValidator({ nowMs: Date.now() });

  function importedRecord(row: unknown): unknown {
    const result = validate(plain(row));
    return result.ok ? result.record : result.errors;
  }

  test("gives every record back, wherever the text is cut", () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 3 }), lengths, (records, cuts) => {
        const rows = records.map((record, i) => exportRowOf({ id: `event-${i}`, ...record }));
        const read = readJson(...piecesOf(exportRows(createWriter, rows), cuts));
        expect(read).toMatchObject({ format, errors: [], warnings: [] });
        expect(read.rows.map((row) => row["id"])).toEqual(records.map((_, i) => `event-${i}`));
        expect(read.rows.map(importedRecord)).toEqual(plain(records.map(asImported)));
      }),
      { numRuns: runs(300) },
    );
  });

  test("keeps the provenance of merged events as it is", () => {
    const record: SeismicEventRecord = {
      ...(fc.sample(anyRecord, { numRuns: 1, seed: 1 })[0] as SeismicEventRecord),
      extra: { note: "x" },
      source_events: [SOURCE, { ...SOURCE, event_id: "e2", chosen: false }],
    };
    const { rows } = readJson(exportRows(createWriter, [exportRowOf({ id: "m", ...record })]));
    expect(rows[0]).toMatchObject({ id: "m", source_events: record.source_events });
    expect(importedRecord(rows[0])).toEqual(
      plain({
        ...record,
        source_events: null,
        extra: { note: "x", source_events: record.source_events },
      }),
    );
  });

  test("gives an empty catalogue back", () => {
    const read = readJson(exportRows(createWriter, []));
    const nothing = { headers: [], rows: [], lines: [], errors: [], warnings: [] };
    expect(read).toEqual({ ...nothing, format, isCatalogue: true });
  });
});
