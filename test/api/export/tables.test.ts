import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
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

describe("a catalogue of events with bulletins", () => {
  const events = [
    seismicEvent(),
    { bulletin: smallBulletin("a") },
    { bulletin: smallBulletin("b") },
  ];
  const counts = {
    origins: 5,
    magnitudes: 5,
    station_magnitudes: 2,
    amplitudes: 2,
    picks: 4,
    arrivals: 4,
    focal_mechanisms: 0,
  };

  test("gives every object of every bulletin as a row, in every format", async () => {
    const { id } = await createCatalogue(client, { events });
    for (const [table, count] of Object.entries(counts)) {
      const { rows } = await rowsOf(id, table);
      expect([table, rows.length]).toEqual([table, count]);
      const csv = parse(Buffer.from(await tableOf(id, table, "csv")), { columns: true }) as Row[];
      const parquet = await readParquet(await tableOf(id, table, "parquet"));
      const arrow = readArrow(await tableOf(id, table, "arrow"));
      const ids = rows.map((row) => row["public_id"]);
      for (const read of [csv, parquet.rows, arrow.rows]) {
        expect(read.map((row) => row["public_id"])).toEqual(ids);
      }
    }
  });

  test("gives the arrivals of one event with their picks, as its table of arrivals has them", async () => {
    const { id } = await createCatalogue(client, { events });
    const { rows } = await rowsOf(id, "arrivals");
    const [first] = rows;
    const { body } = await client.get(
      `/api/catalogues/${id}/events/${first?.["event_id"]}/arrivals`,
    );
    const expected = rows.filter((row) => row["event_id"] === first?.["event_id"]);
    expect(body).toEqual({ version: 1, rows: expected });
    expect(expected).toMatchObject([
      { phase: "P", station: "WEL", network: "NZ", residual: 0.25, preferred: true },
      { phase: "S", preferred: false },
    ]);
  });

  test("gives tables of the events that satisfy the filters, as of a version", async () => {
    const { id } = await createCatalogue(client, { events });
    await client.send("POST", `/api/catalogues/${id}/events`, {
      events: [{ bulletin: smallBulletin("c") }],
    });
    expect((await rowsOf(id, "picks")).rows).toHaveLength(6);
    expect((await rowsOf(id, "picks&asOf=1")).rows).toHaveLength(4);
    expect((await rowsOf(id, "picks&minMagnitude=7")).rows).toEqual([]);
  });

  test("gives the same to a share, and the file names the table", async () => {
    const { id } = await createCatalogue(client, { events });
    const { body } = await client.send<{ share: { url: string } }>(
      "POST",
      `/api/catalogues/${id}/shares`,
      {},
    );
    const base = new URL(body.share.url).pathname;
    const answer = await createApiClient(service.url).stream(`${base}/export?table=picks`);
    expect(answer.headers.get("content-disposition")).toContain("v1.picks.csv");
    expect((await answer.text()).trim().split("\r\n")).toHaveLength(5);
  });
});

test.each(["geojson", "kml", "quakeml", "text"])("%s has no table of picks", async (format) => {
  const { id } = await createCatalogue(client);
  const answer = await client.get(`/api/catalogues/${id}/export?format=${format}&table=picks`);
  expectRefusal(answer, "VALIDATION_ERROR", "table");
});
