import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { bulletinOfRow } from "#contracts/bulletin/row.ts";
import { type BulletinTable, columnsOfTable } from "#contracts/bulletin/tables.ts";
import { COUNTED_OBJECTS } from "#contracts/seismic-event/bulletin-objects.ts";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { guardFormula } from "#contracts/text.ts";
import { shownSolutions } from "#infra/formats/bulletin/parts.ts";
import { tableRowsOf } from "#infra/formats/tables/table-rows.ts";
import {
  createTableCsvWriter,
  createTableJsonWriter,
} from "#infra/formats/tables/table-writers.ts";
import { anyBulletin } from "../../support/bulletins/any-bulletin.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { EXPORTED } from "../../support/formats/exported.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";
import { countsIn } from "./references.ts";

const ID = "0f0e1d2c-0000-8000-8000-000100000001";

type Row = Readonly<Record<string, unknown>>;

function rowsOf(table: BulletinTable, bulletin: Bulletin) {
  return [...tableRowsOf(table)(ID, bulletin, shownSolutions(bulletin))];
}

function jsonOf(table: BulletinTable, bulletin: Bulletin): Row[] {
  const writer = createTableJsonWriter(table, { version: EXPORTED.version, table });
  const text = [writer.begin(), ...rowsOf(table, bulletin).map(writer.row), writer.end()].join("");
  const { rows, ...head } = JSON.parse(text);
  expect(head).toEqual({ version: EXPORTED.version, table });
  return rows;
}

function csvOf(table: BulletinTable, bulletin: Bulletin): string {
  const writer = createTableCsvWriter(table);
  return [writer.begin(), ...rowsOf(table, bulletin).map(writer.row), writer.end()].join("");
}

const TYPES: Readonly<Record<BulletinTable, string>> = {
  origins: "Origin",
  magnitudes: "Magnitude",
  station_magnitudes: "StationMagnitude",
  amplitudes: "Amplitude",
  picks: "Pick",
  arrivals: "Arrival",
  focal_mechanisms: "FocalMechanism",
};

describe("tables of a bulletin", () => {
  test("an arrival's row has its pick's place and time, its origin, and whether that is preferred", () => {
    const [first, second, ...others] = jsonOf("arrivals", smallBulletin());
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      event_id: ID,
      public_id: "smi:test.local/one/arrival/1",
      preferred: true,
      origin_id: "smi:test.local/one/origin/1",
      pick_id: "smi:test.local/one/pick/1",
      network: "NZ",
      station: "WEL",
      location: null,
      channel: "HHZ",
      phase: "P",
      time: "2024-05-06T07:08:11.25Z",
      residual: 0.25,
      distance: null,
      azimuth: null,
      weight: null,
      mode: null,
      status: null,
    });
    expect(second).toMatchObject({ phase: "S", preferred: false });
  });

  test("an arrival whose pick is not there has a row without a place", () => {
    const { pick: _, ...bulletin } = smallBulletin();
    expect(jsonOf("arrivals", bulletin)[0]).toMatchObject({
      phase: "P",
      station: null,
      time: null,
    });
  });

  test("origins are in kilometres as rows of events, amplitudes in metres as QuakeML", () => {
    expect(jsonOf("origins", smallBulletin())[0]).toMatchObject({
      preferred: true,
      time: "2024-05-06T07:08:01.5Z",
      time_uncertainty: 0.1,
      latitude: -41.5,
      depth: 12.3,
      depth_uncertainty: null,
    });
    expect(jsonOf("amplitudes", smallBulletin())[0]).toMatchObject({
      preferred: true,
      generic_amplitude: 0.001,
      pick_id: "smi:test.local/one/pick/1",
      station: "WEL",
    });
  });

  test("what the preferred solution is made of is preferred", () => {
    const preferred = (table: BulletinTable) =>
      jsonOf(table, smallBulletin()).map((row) => row["preferred"]);
    expect(preferred("magnitudes")).toEqual([true, false]);
    expect(preferred("picks")).toEqual([true, false]);
    expect(preferred("station_magnitudes")).toEqual([true]);
  });

  test("an event without a bulletin gives its row as one origin and one magnitude", () => {
    const record = emptyRecord({
      time: "2016-11-13T11:02:56.3Z",
      latitude: -42.69,
      longitude: 173,
    });
    const event = { id: ID, ...record, depth: 15.1, magnitude: 7.8, magnitude_type: "Mww" };
    const bulletin = bulletinOfRow({ ...event, azimuthal_gap: 21.5, agency_id: "US" });
    expect(jsonOf("origins", bulletin)).toMatchObject([
      { depth: 15.1, azimuthal_gap: 21.5, agency_id: "US", preferred: true },
    ]);
    expect(jsonOf("magnitudes", bulletin)).toMatchObject([{ mag: 7.8, type: "Mww" }]);
    expect(jsonOf("picks", bulletin)).toEqual([]);
  });

  testRows(
    "the columns of a table have names of their own, in small letters",
    COUNTED_OBJECTS,
    (table) => {
      const names = columnsOfTable(table).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.slice(0, 3)).toEqual(["event_id", "public_id", "preferred"]);
      for (const name of names) expect(name).toMatch(/^[a-z]+\d?(?:_[a-z]+\d?)*$/);
    },
  );

  test("any bulletin has a row for each object, with the same values in JSON and CSV", () => {
    fc.assert(
      fc.property(anyBulletin, fc.constantFrom(...COUNTED_OBJECTS), (bulletin, table) => {
        const rows = jsonOf(table, bulletin);
        expect(rows).toHaveLength(countsIn(bulletin)[TYPES[table]] ?? 0);
        const records = parse(csvOf(table, bulletin), { columns: true }) as Record<
          string,
          string
        >[];
        expect(records).toHaveLength(rows.length);
        for (const [i, record] of records.entries()) {
          for (const [name, text] of Object.entries(record)) {
            const value = rows[i]?.[name] ?? "";
            if (typeof value !== "string") expect(text).toBe(String(value));
            else expect([value, guardFormula(value)]).toContain(text);
          }
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test("a text that a spreadsheet would run is guarded in CSV", () => {
    const [magnitude] = smallBulletin().magnitude ?? [];
    const bulletin = { ...smallBulletin(), magnitude: [{ ...magnitude, type: "=1+1" }] };
    expect(csvOf("magnitudes", bulletin as Bulletin)).toContain(",'=1+1,");
  });
});
