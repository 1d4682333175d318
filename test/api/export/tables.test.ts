import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { readArrow, readParquet } from "../../support/columnar.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const client = service.client("editor");

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

async function rowsIn(id: string, table: string, format: "csv" | "parquet" | "arrow") {
  const content = await tableOf(id, table, format);
  if (format === "csv") return parse(Buffer.from(content), { columns: true }) as Row[];
  return (await (format === "parquet" ? readParquet : readArrow)(content)).rows;
}

const idsOf = (rows: readonly Row[]) => rows.map((row) => row["public_id"]);

test("a catalogue of events without bulletins gives each row as an origin, and as a magnitude where it has one", async () => {
  const { id } = await createCatalogue(client, {
    events: [
      seismicEvent({ magnitude_type: "Mww", depth_uncertainty: 1.5, azimuthal_gap: 30 }),
      seismicEvent({ time: "2017-01-01T00:00:00Z", magnitude: null, agency_id: "WEL" }),
    ],
  });
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
  const parquet = await readParquet(await tableOf(id, "origins", "parquet"));
  expect(parquet.rows).toEqual(await rowsIn(id, "origins", "arrow"));
  expect([parquet.pairs["table"], parquet.pairs["version"]]).toEqual(["origins", "1"]);
  for (const format of ["parquet", "arrow"] as const) {
    expect(idsOf(await rowsIn(id, "origins", format))).toEqual(idsOf(rows));
    expect(await rowsIn(id, "arrivals&minMagnitude=9.5", format)).toEqual([]);
  }
  const events = `/api/catalogues/${id}/events`;
  const path = `${events}/${rows[0]?.["event_id"]}/arrivals`;
  expect(await client.get(path)).toMatchObject({ status: 200, body: { version: 1, rows: [] } });
  expectRefusal(await client.get(`${events}/${id}/arrivals`), "NOT_FOUND");
  expectRefusal(await client.get(`${path}?asOf=7`), "NOT_FOUND");
});

test("a catalogue of events with bulletins gives every object of every bulletin as a row, in every format", async () => {
  const bulletins = ["a", "b"].map((name) => ({ bulletin: smallBulletin(name) }));
  const { id } = await createCatalogue(client, { events: [seismicEvent(), ...bulletins] });
  const path = `/api/catalogues/${id}`;
  for (const [table, count] of Object.entries({
    ...{ origins: 5, magnitudes: 5, station_magnitudes: 2, amplitudes: 2 },
    ...{ picks: 4, arrivals: 4, focal_mechanisms: 0 },
  })) {
    const { rows } = await rowsOf(id, table);
    expect([table, rows.length]).toEqual([table, count]);
    for (const format of ["csv", "parquet", "arrow"] as const) {
      expect(idsOf(await rowsIn(id, table, format)), `${table} ${format}`).toEqual(idsOf(rows));
    }
  }
  const { rows: arrivals } = await rowsOf(id, "arrivals");
  const eventId = arrivals[0]?.["event_id"];
  const ofEvent = arrivals.filter((row) => row["event_id"] === eventId);
  const { body } = await client.get(`${path}/events/${eventId}/arrivals`);
  expect(body).toEqual({ version: 1, rows: ofEvent });
  expect(ofEvent).toMatchObject([
    { phase: "P", station: "WEL", network: "NZ", residual: 0.25, preferred: true },
    { phase: "S", preferred: false },
  ]);
  const share = await client.send<{ share: { url: string } }>("POST", `${path}/shares`, {});
  const shared = `${new URL(share.body.share.url).pathname}/export?table=picks`;
  const answer = await createApiClient(service.url).stream(shared);
  expect(answer.headers.get("content-disposition")).toContain("v1.picks.csv");
  expect((await answer.text()).trim().split("\r\n")).toHaveLength(5);

  const more = { events: [{ bulletin: smallBulletin("c") }] };
  await client.send("POST", `${path}/events`, more);
  for (const [query, count] of [
    ["picks", 6],
    ["picks&asOf=1", 4],
    ["picks&minMagnitude=7", 0],
  ] as const) {
    expect((await rowsOf(id, query)).rows, query).toHaveLength(count);
  }
});
