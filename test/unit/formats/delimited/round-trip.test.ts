import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createCsvWriter } from "#infra/formats/delimited/csv-writer.ts";
import { createEventValidator } from "#services/domain/seismic-event/validate-event.ts";
import { anyRecord } from "../../../support/arbitrary-record.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import { runs } from "../../../support/runs.ts";
import { readPieces, readText } from "./read-delimited.ts";

/** Texts where CSV, spreadsheets and readers each have a rule of their own. */
const awkwardText = fc
  .array(
    fc.constantFrom(
      "'",
      '"',
      "=",
      "+",
      "-",
      "@",
      "\t",
      "\r",
      "\n",
      ",",
      ";",
      " ",
      "a",
      "1",
      "\u00a0",
      "\ufeff",
      "\u0085",
      "\u2028",
      "\v",
      "＝",
      "＋",
      "－",
      "＠",
      "#",
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(""))
  .filter((text) => text.trim() !== "");

/** Structures with a member of this name are refused, at any depth, so that none is ever stored. */
const storedRecord = anyRecord.filter((record) => !JSON.stringify(record).includes('"__proto__":'));

const records = fc.array(
  fc
    .tuple(storedRecord, fc.option(awkwardText), fc.option(awkwardText), fc.option(awkwardText))
    .map(([record, region, author, source_id]) => ({
      ...record,
      region: region ?? record.region,
      author: author ?? record.author,
      source_id: source_id ?? record.source_id,
      // What holds nothing is null once it was validated.
      extra: record.extra !== null && Object.keys(record.extra).length > 0 ? record.extra : null,
    })),
  { minLength: 1, maxLength: 5 },
);

/** The validator and JSON know one zero. */
function asStored(record: SeismicEventRecord): unknown {
  return JSON.parse(JSON.stringify(record));
}

function csvOf(all: readonly SeismicEventRecord[]): string {
  const writer = createCsvWriter();
  const rows = all.map((record, i) => writer.row(exportRowOf({ ...record, id: `1.${i}` })));
  return writer.begin() + rows.join("") + writer.end();
}

function piecesAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length];
  places.sort((a, b) => a - b);
  return places.slice(1).map((place, i) => text.slice(places[i], place));
}

describe("an event through CSV", () => {
  it("comes back as it was, wherever the text is cut", () => {
    fc.assert(
      fc.property(records, fc.array(fc.nat(), { maxLength: 8 }), (all, cuts) => {
        const read = readPieces(piecesAt(csvOf(all), cuts));
        expect(read.errors).toEqual([]);
        expect(read.warnings).toEqual([]);
        const validate = createEventValidator({ nowMs: Date.UTC(2024) });
        expect(read.rows.map((row) => validate(row))).toEqual(
          all.map((record) => ({ ok: true, record: asStored(record) })),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  it("carries the members of a merged event", () => {
    const source_events = [
      {
        catalogue_id: "7f3e1b52-9c4d-4a86-b1f0-0d2c3e4f5a6b",
        event_id: "1.0",
        source_id: null,
        source: 'the "other", one',
        time_difference: -0.25,
        distance: 1e-9,
        quality_score: 61.5,
        chosen: true,
      },
    ];
    const record = emptyRecord({ time: "2011-03-11T05:46:24Z", latitude: 1, longitude: 2 });
    const { rows, warnings } = readText(csvOf([{ ...record, source_events }]));
    expect(rows).toMatchObject([{ source_events }]);
    expect(warnings).toEqual([]);
  });
});
