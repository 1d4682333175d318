import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../../support/agency/test-agency.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { hashInPython } from "../../support/api/hash-in-python.ts";
import { merge } from "../../support/api/merges.ts";
import { createFromFile } from "../../support/api/whole-documents.ts";
import { type ApiClient, createApiClient, sessionToken } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { createTestDatabase } from "../../support/database.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { startServiceLog, type TestLogKind } from "../../support/service-log.ts";
import { startServiceProcess } from "../../support/service-process.ts";
import { ADMIN } from "../../support/start-test-service.ts";
import { unlimitedFor } from "../../support/unlimited-for.ts";

const FILE = readFileSync(
  join(import.meta.dirname, "../../fixtures/formats/quakeml/geonet.xml"),
  "utf8",
);
const EVENTS = 200;
const PICKS = 3;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** An event in which nothing is made anew, so that its bulletin's hash is the same. */
const HASHED = /: [0-9a-f]{64} \{/;
const hasTaskset = spawnSync("taskset", ["--version"]).status === 0;

/** The processes of a service by their roles, and how each is started: some work has a thread for each processor. */
type Workers = {
  readonly log: TestLogKind;
  readonly roles: readonly (readonly string[])[];
  readonly before: readonly string[];
};
const ALL = ["gateway", "projector", "notifier", "publisher"];
const TOGETHER = { roles: [ALL], before: [] };
const APART = { roles: [["gateway"], ["gateway"], ALL.slice(1)], before: [] };
const ONE_PROCESSOR = { roles: [ALL], before: hasTaskset ? ["taskset", "-c", "0"] : [] };

let agency: TestAgency;
beforeAll(async () => {
  agency = await startTestAgency({ events: servedEvents(5, EVENTS), picks: PICKS });
});
afterAll(() => agency.close());

/** A client whose requests go to the gateways in turn. */
async function startService({ log, roles, before }: Workers): Promise<ApiClient> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const eventLog = await startServiceLog(log, database.url);
  onTestFinished(eventLog.close);
  const urls: string[] = [];
  for (const own of roles) {
    const process = await startServiceProcess(
      {
        DATABASE_URL: database.url,
        ROLES: own.join(","),
        JWT_SECRET: "a secret of the tests alone, 32 long",
        PUBLIC_BASE_URL: "http://catalogues.example.org",
        AGENCY_URL: agency.url,
        ...eventLog.variables,
        ...unlimitedFor(ADMIN),
      },
      before,
    );
    onTestFinished(async () => {
      await process.stop();
    });
    if (process.url !== "") urls.push(process.url);
  }
  return inTurn(urls);
}

async function inTurn(urls: readonly string[]): Promise<ApiClient> {
  let token = "";
  await expect
    .poll(async () => {
      token = await sessionToken(urls[0] ?? "", ADMIN).catch(() => "");
      return token;
    })
    .not.toBe("");
  const clients = urls.map((url) => createApiClient(url, token));
  let asked = 0;
  const next = (): ApiClient => clients[asked++ % clients.length] as ApiClient;
  return {
    get: (...request) => next().get(...request),
    head: (...request) => next().head(...request),
    stream: (...request) => next().stream(...request),
    send: (...request) => next().send(...request),
  };
}

async function done(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  expect([200, 201], JSON.stringify(body)).toContain(status);
}

/** Everything that writes bulletins, once; the catalogues that it makes. */
async function writeBulletins(client: ApiClient): Promise<readonly string[]> {
  const given = [smallBulletin(), tangledBulletin(), everyMember()];
  const events = [seismicEvent(), ...given.map((bulletin) => ({ bulletin }))];
  const { id: submitted } = await createCatalogue(client, { events });
  const { id: uploaded } = await createFromFile(client, FILE);
  const window = { startDate: "2014-01-01", endDate: "2024-01-01" };
  const run = await client.send<ImportResult>("POST", "/api/import/agency", window);
  expect(run.body.newEvents).toBe(EVENTS);

  const path = `/api/catalogues/${submitted}`;
  const { body } = await client.get<{ events: SeismicEvent[] }>(`${path}/events/filtered`);
  const tangled = body.events.find(({ extra }) => `${extra?.["public_id"]}`.includes("tangled"));
  const event = `${path}/events/${tangled?.id}`;
  await done(client.send("PATCH", event, { depth: 33, magnitude: 5.25 }));
  await done(client.send("POST", `${event}/comments`, { text: "looked at again" }));
  const originID = "smi:test.local/tangled/origin/2";
  await done(client.send("PATCH", `${event}/preferred`, { originID }));
  await done(client.send("DELETE", `${event}/bulletin`));
  await done(client.send("POST", `${path}/versions/1/restore`));

  // Seconds later, so that which of two comes first does not hang on ids.
  const later = JSON.stringify(everyMember()).replaceAll("T00:00:00.", "T00:00:03.");
  const other = await createCatalogue(client, {
    events: [seismicEvent({ time: "2016-11-13T11:02:58Z" }), { bulletin: JSON.parse(later) }],
  });
  const sources = [submitted, other.id].map((id, i) => ({ id, source: `source ${i}` }));
  const { catalogueId: merged } = await merge(client, sources);
  return [submitted, uploaded, run.body.catalogueId, merged];
}

/** A version in full, but for what each service makes anew: its ids, and when it was. */
async function versionOf(client: ApiClient, id: string, version: number) {
  const path = `/api/catalogues/${id}`;
  const query = `format=json&include=bulletin&asOf=${version}`;
  const exported = await (await client.stream(`${path}/export?${query}`)).text();
  const { body } = await client.get<{ version: VersionRecord }>(`${path}/versions/${version}`);
  expect(await hashInPython(exported)).toBe(body.version.sha256);
  const { events } = JSON.parse(exported) as { events: Record<string, unknown>[] };
  return events
    .map(({ id: _, bulletin_sha256: sha256, ...event }) => {
      const text = JSON.stringify(event);
      const own = text
        .replaceAll(UUID, "uuid")
        .replaceAll(/(smi:local\.catalogue\/[\w/]+?\/)[0-9a-f]{32}/g, "$1")
        .replaceAll(/"creationTime":"20(?!24)[^"]*"/g, '"creationTime":"now"');
      return own === text ? `${sha256} ${text}` : own;
    })
    .sort();
}

async function everyVersion(client: ApiClient, ids: readonly string[]): Promise<string[]> {
  const told: string[] = [];
  for (const [place, id] of ids.entries()) {
    const path = `/api/catalogues/${id}/versions`;
    const { body } = await client.get<{ versions: { version: number }[] }>(path);
    for (const { version } of body.versions) {
      const events = await versionOf(client, id, version);
      told.push(...events.map((event) => `catalogue ${place}, version ${version}: ${event}`));
    }
  }
  return told.sort();
}

describe("bulletins and their hashes are the same", () => {
  let first: string[] | null = null;

  test.each<[string, Workers]>([
    ["by all processors, with the log in PostgreSQL", { log: "postgres", ...TOGETHER }],
    ["by one processor, with the log in PostgreSQL", { log: "postgres", ...ONE_PROCESSOR }],
    ["by two gateways and a projector, with the log in PostgreSQL", { log: "postgres", ...APART }],
    ["by one processor, with the log in EventStoreDB", { log: "eventstoredb", ...ONE_PROCESSOR }],
    [
      "by two gateways and a projector, with the log in EventStoreDB",
      { log: "eventstoredb", ...APART },
    ],
  ])("%s", async (_, workers) => {
    const client = await startService(workers);
    const told = await everyVersion(client, await writeBulletins(client));
    expect(told.filter((event) => HASHED.test(event)).length).toBeGreaterThan(EVENTS);
    first ??= told;
    expect(told).toEqual(first);
  });
});
