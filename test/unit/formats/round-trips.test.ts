import fc from "fast-check";
import { expect, test } from "vitest";
import {
  emptyRecord,
  type SeismicEventRecord,
  type SourceEvent,
} from "#contracts/seismic-event/seismic-event.ts";
import { createCsvWriter } from "#infra/formats/delimited/csv.ts";
import type { ExportedCatalogue, FormatWriter } from "#infra/formats/format-writer.ts";
import { createGeojsonWriter, createJsonWriter } from "#infra/formats/json/writer.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/writing/row-writer.ts";
import { createEventValidator } from "#services/domain/events/validation/validate-event.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { uuidOf } from "../../support/columnar/copied-rows.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { exportRows } from "../../support/formats/exported.ts";
import {
  cutAt,
  readJson,
  readQuakeml,
  readTable,
  type Told,
} from "../../support/formats/readers.ts";
import { runs } from "../../support/runs.ts";

type Format = {
  readonly writer: (exported: ExportedCatalogue) => FormatWriter;
  readonly read: (text: Iterable<string>) => Told;
};

/** The formats that hold all of an event's attributes, and how they are read again. */
const FORMATS: Readonly<Record<string, Format>> = {
  csv: { writer: createCsvWriter, read: (text) => readTable(text) },
  json: { writer: createJsonWriter, read: (text) => readJson(text) },
  geojson: { writer: createGeojsonWriter, read: (text) => readJson(text) },
  quakeml: { writer: createQuakemlWriter, read: (text) => readQuakeml(text) },
};

const written = ({ writer }: Format, records: readonly SeismicEventRecord[]): string =>
  exportRows(
    writer,
    records.map((record, i) => exportRowOf({ id: uuidOf(i), ...record })),
  );

/** JSON, and so what is stored, has no negative zero. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

function imported(row: unknown): unknown {
  const result = createEventValidator({ nowMs: Date.UTC(2026, 0) })(plain(row));
  return result.ok ? result.record : result.errors;
}

/** Texts where CSV, spreadsheets, XML and readers each have a rule of their own. */
const awkwardText = fc
  .array(fc.constantFrom(..."'\"=+-@\t\r\n,;< >&a1\u00a0\ufeff\u0085\u2028\v＝＋－＠#"), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(""))
  .filter((text) => text.trim() !== "");
/** As records are stored: a structure with this member is refused, an `extra` without members is none. */
const storedRecord = fc
  .tuple(anyRecord, fc.option(awkwardText), fc.option(awkwardText), fc.option(awkwardText))
  .filter(([record]) => !JSON.stringify(record).includes('"__proto__":'))
  .map(([record, region, author, source_id]) =>
    plain({
      ...record,
      region: region ?? record.region,
      author: author ?? record.author,
      source_id: source_id ?? record.source_id,
      extra: Object.keys(record.extra ?? {}).length > 0 ? record.extra : null,
    }),
  );

test.each(Object.entries(FORMATS))(
  "%s written and read again is the same records, wherever the text is cut",
  (name, format) => {
    const anyRecords = fc.array(storedRecord, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyRecords, fc.array(fc.nat(), { maxLength: 20 }), (records, cuts) => {
        const read = format.read(cutAt(written(format, records), cuts));
        expect(read.errors).toEqual([]);
        if (name !== "quakeml") expect(read.warnings).toEqual([]);
        expect(read.rows.map(imported)).toEqual(records);
      }),
      { numRuns: runs(1_000, 1 / 20) },
    );
    expect(format.read(written(format, []))).toMatchObject({ rows: [], errors: [], warnings: [] });
  },
);

test.each(Object.entries(FORMATS))(
  "%s has the members that an event was merged of",
  (_, format) => {
    const source: SourceEvent = {
      catalogue_id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
      event_id: "e1",
      source_id: 'a "quoted"\n id',
      source: 'the <"other">, one',
      time_difference: -0.25,
      distance: 1e-9,
      quality_score: 61.5,
      chosen: true,
    };
    const source_events = [source, { ...source, event_id: "e2", source_id: null, chosen: false }];
    const origin = { time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 };
    const record = { ...emptyRecord(origin), magnitude: 5, extra: { note: "x" } };
    const { rows } = format.read(written(format, [{ ...record, source_events }]));
    expect(rows).toMatchObject([{ source_events }]);
    expect(imported(rows[0])).toEqual({ ...record, extra: { note: "x", source_events } });
  },
);
