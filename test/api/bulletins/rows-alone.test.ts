import { Client } from "pg";
import { expect, test } from "vitest";
import { ROW_READS } from "../../bench/cases/beside-bulletins.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { useService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = useService({}, { eventLog: "postgres" });

/** What reads rows beside that which the benchmark compares. */
const OTHER_READS = [
  "events?page=1&pageSize=10",
  "events?offset=0&limit=10&include=source_events",
  "events/filtered?has=arrivals,magnitudes&minOrigins=2",
  "export?format=json",
  "export?format=kml",
  "export?format=text",
  "export?format=quakeml&detail=summary",
  "export?format=parquet",
  "export?format=arrow",
  "fdsnws/event/1/query?format=xml",
  "fdsnws/event/1/query?format=geojson",
  "fdsnws/event/1/count",
  "analytics/summary",
  "analytics/rates",
  "analytics/depths",
  "feed/v1.0/summary/all_month.geojson",
  "versions",
  "versions/1",
  "",
];
const TABLES = ["bulletins", "bulletin_magnitudes"];

/** Renames the tables of bulletins: whatever reads them then fails. */
async function renameTables(from: string, to: string): Promise<void> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  for (const table of TABLES) {
    await client.query(`alter table read_model.${from}${table} rename to ${to}${table}`);
  }
  await client.end();
}

async function statusesOf(client: ApiClient, paths: readonly string[]) {
  const statuses: [string, number][] = [];
  for (const path of paths) {
    const answer = await client.stream(path, { "accept-encoding": "identity" });
    const { byteLength } = await answer.arrayBuffer();
    expect(byteLength, path).toBeGreaterThan(0);
    statuses.push([path, answer.status]);
  }
  return statuses;
}

test("what reads rows is answered while the tables of bulletins are away, a bulletin is not", async () => {
  const client = await service.loginAs("editor");
  const whole = ["one", "two"].map((name) => ({ bulletin: smallBulletin(name) }));
  const { id } = await createCatalogue(client, { events: [seismicEvent(), ...whole] });
  const catalogue = `/api/catalogues/${id}`;
  const { body } = await client.get<{ events: { id: string; bulletin_sha256?: string }[] }>(
    `${catalogue}/events`,
  );
  const event = body.events.find(({ bulletin_sha256: hash }) => hash !== undefined)?.id;
  const reads = [...Object.values(ROW_READS), ...OTHER_READS, `events/${event}`].map((path) =>
    `${catalogue}/${path}`.replace(/\/$/, ""),
  );
  const bulletin = [`${catalogue}/events/${event}/bulletin`];

  await renameTables("", "hidden_");
  try {
    expect(await statusesOf(client, reads)).toEqual(reads.map((path) => [path, 200]));
    expect(await statusesOf(client, bulletin)).toEqual([[bulletin[0], 500]]);
  } finally {
    await renameTables("hidden_", "");
  }
  expect(await statusesOf(client, bulletin)).toEqual([[bulletin[0], 200]]);
});
