import { afterAll, beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ImportResult } from "#contracts/http/imports.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../../support/agency/test-agency.ts";
import { withClient } from "../../support/database-template.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { holderOf, POLL, useRoles } from "./use-roles.ts";

const EVENTS = 300_000;
const SEED = 31;
const LEASE = "projection catalogues";

let agency: TestAgency;
beforeAll(async () => {
  agency = await startTestAgency({ events: servedEvents(SEED, EVENTS) });
});
afterAll(() => agency.close());
const scene = useRoles(() => ({ AGENCY_URL: agency.url }));

/** What the read model holds of each event, in the order of their source ids. */
function eventsInReadModel(): Promise<string[]> {
  return withClient(scene.databaseUrl, async (client) => {
    const { rows } = await client.query<{ line: string }>(
      `select concat_ws(' ', source_id, latitude, longitude, magnitude,
         to_char(time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) as line
       from read_model.seismic_events order by source_id collate "C"`,
    );
    return rows.map(({ line }) => line);
  });
}

async function openChunks(): Promise<number> {
  return withClient(scene.databaseUrl, async (client) => {
    const { rows } = await client.query<{ open_chunks: number }>(
      "select open_chunks from read_model.catalogues",
    );
    return rows[0]?.open_chunks ?? 0;
  });
}

test("a projector killed while 300,000 events are imported is followed by its standby, and the catalogue is exact", async () => {
  const gateway = await scene.start("gateway");
  const projectors = [await scene.start("projector"), await scene.start("projector")];
  const client = await scene.signIn(gateway);
  await expect.poll(() => holderOf(projectors, LEASE) !== undefined, POLL).toBe(true);

  const window = { startDate: "2010-01-01", endDate: "2025-01-01", detail: "summary" };
  const importing = client.send<ImportResult>("POST", "/api/import/agency", window);
  await expect.poll(openChunks, { ...POLL, interval: 10 }).toBeGreaterThan(10);
  const active = holderOf(projectors, LEASE);
  const standby = projectors.filter((projector) => projector !== active);
  expect(holderOf(standby, LEASE)).toBeUndefined();
  await active?.kill();
  const killedAt = performance.now();
  await expect.poll(() => holderOf(standby, LEASE) !== undefined, POLL).toBe(true);
  const seconds = ((performance.now() - killedAt) / 1_000).toFixed(1);
  process.stdout.write(`the standby projector took over ${seconds} s after the kill\n`);

  const { status, body } = await importing;
  expect(status).toBe(200);
  expect(body).toMatchObject({ success: true, totalFetched: EVENTS, newEvents: EVENTS });
  const { body: shown } = await client.get<Catalogue>(`/api/catalogues/${body.catalogueId}`);
  expect(shown).toMatchObject({ status: "active", event_count: EVENTS, version: 1 });
  const expected: string[] = [];
  for (const event of generateEvents(SEED, EVENTS)) {
    const { source_id, latitude, longitude, magnitude, time } = event;
    expected.push([source_id, latitude, longitude, magnitude, time].join(" "));
  }
  const rows = await eventsInReadModel();
  expect(rows).toHaveLength(EVENTS);
  expect(rows.findIndex((row, i) => row !== expected[i])).toBe(-1);
}, 600_000);
