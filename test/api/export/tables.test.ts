import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { readArrow } from "../../support/columnar/read-arrow.ts";
import { readParquet } from "../../support/columnar/read-parquet.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let client: ApiClient;
beforeAll(async () => {
  client = await service.loginAs("editor");
});

type Row = Readonly<Record<string, unknown>>;

async function tableOf(id: string, table: string, format: string): Promise<Uint8Array> {
  const path = `/api/catalogues/${id}/export?table=${table}&format=${format}`;
  const answer = await client.stream(path);
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

async function rowsOf(id: string, table: string) {
  const text = new TextDecoder().decode(await tableOf(id, table, "json"));
  return JSON.parse(text) as { version: number; table: string; rows: Row[] };
}

describe("a catalogue of events without bulletins", () => {
  const events = [
    seismicEvent({ magnitude_type: "Mww", depth_uncertainty: 1.5, azimuthal_gap: 30 }),
    seismicEvent({ time: "2017-01-01T00:00:00Z", magnitude: null, agency_id: "WEL" }),
  ];

  test("gives each row as an origin, and as a magnitude where it has one", async () => {
    const { id } = await createCatalogue(client, { events });
    const { version, table, rows } = await rowsOf(id, "origins");
    expect([version, table]).toEqual([1, "origins"]);
    expect(rows).toMatchObject([
      { time: "2017-01-01T00:00:00Z", agency_id: "WEL", preferred: true },
      { depth: 15.1, depth_uncertainty: 1.5, azimuthal_gap: 30, preferred: true },
    ]);
    const magnitudes = await rowsOf(id, "magnitudes");
    expect(magnitudes.rows).toMatchObject([{ mag: 7.8, type: "Mww", preferred: true }]);
    expect(magnitudes.rows[0]?.["event_id"]).toBe(rows[1]?.["event_id"]);
    expect((await rowsOf(id, "picks")).rows).toEqual([]);
  });

  test("gives the same rows in CSV, Parquet and Arrow", async () => {
    const { id } = await createCatalogue(client, { events });
    const { rows } = await rowsOf(id, "origins");
    const csv = parse(Buffer.from(await tableOf(id, "origins", "csv")), { columns: true });
    const parquet = await readParquet(await tableOf(id, "origins", "parquet"));
    const arrow = readArrow(await tableOf(id, "origins", "arrow"));
    const ids = rows.map((row) => row["public_id"]);
    for (const read of [csv as Row[], parquet.rows, arrow.rows]) {
      expect(read.map((row) => row["public_id"])).toEqual(ids);
    }
    expect(parquet.rows).toEqual(arrow.rows);
    expect([parquet.pairs["table"], parquet.pairs["version"]]).toEqual(["origins", "1"]);
  });

  test("gives whole tables without a row where filters leave none", async () => {
    const { id } = await createCatalogue(client, { events });
    for (const [format, read] of [
      ["parquet", readParquet],
      ["arrow", readArrow],
    ] as const) {
      const { rows } = await read(await tableOf(id, "arrivals&minMagnitude=9.5", format));
      expect(rows).toEqual([]);
    }
  });

  test("has no arrivals for its events", async () => {
    const { id } = await createCatalogue(client, { events });
    const { rows } = await rowsOf(id, "origins");
    const path = `/api/catalogues/${id}/events/${rows[0]?.["event_id"]}/arrivals`;
    const { status, body } = await client.get(path);
    expect([status, body]).toEqual([200, { version: 1, rows: [] }]);
    expectRefusal(
      await client.get(path.replace(/[^/]*\/arrivals$/, `${id}/arrivals`)),
      "NOT_FOUND",
    );
    expectRefusal(await client.get(`${path}?asOf=7`), "NOT_FOUND");
  });
});

test.each(["geojson", "kml", "quakeml", "text"])("%s has no table of picks", async (format) => {
  const { id } = await createCatalogue(client);
  const answer = await client.get(`/api/catalogues/${id}/export?format=${format}&table=picks`);
  expectRefusal(answer, "VALIDATION_ERROR", "table");
});
