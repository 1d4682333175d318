import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { sealBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../support/agency/geonet-xml.ts";
import { startTestAgency, type TestAgency } from "../support/agency/test-agency.ts";
import { fileForm } from "../support/api/file-form.ts";
import { hashInPython } from "../support/api/hash-in-python.ts";
import type { ApiClient } from "../support/api-client.ts";
import { cli } from "../support/cli.ts";
import { randomOf } from "../support/generate-catalogue.ts";
import { settledCatalogues, useKilledService } from "./killed.ts";

/** Of every catalogue. */
const EVENTS = 400;
const PICKS = 3;
const OF_FILE = 20_161_115;
const given = [...servedEvents(OF_FILE, EVENTS)];
const FILE = `${XML_HEAD}${given.map((event) => writeXml(event, PICKS)).join("")}${XML_TAIL}`;

/** Writes of one kind, numbered from 1, so that one that is lost shows. */
type Writes = { attempted: number; readonly acknowledged: number[] };

const noWrites = (): Writes => ({ attempted: 0, acknowledged: [] });

/** Depth of the edited event after the edit of a number, in km: exact as a double, in metres too. */
const depthOf = (edit: number): number => edit / 8;

/** Residual of every arrival after the import of a number, in seconds. */
const residualOf = (run: number): number => run + 0.5;

/** A catalogue of whole events by a kept upload; its id. @throws Error where it is refused */
async function createUploaded(client: ApiClient, name: string): Promise<string> {
  const form = fileForm(FILE, { fileName: "whole.xml" });
  const kept = await client.send<UploadResult>("POST", "/api/upload?keep=true", form);
  const { uploadId } = kept.body;
  const { status, body } = await client.send<Catalogue>("POST", "/api/catalogues", {
    name,
    uploadId,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** The agency has other residuals, which are imported into a new catalogue or the one named; its id. */
async function importAgain(
  client: ApiClient,
  agency: TestAgency,
  runs: Writes,
  catalogueId?: string,
): Promise<string> {
  runs.attempted += 1;
  const run = runs.attempted;
  const { catalogue } = agency;
  for (const { row } of catalogue.events()) catalogue.replace(String(row["source_id"]), null);
  for (const event of given) {
    const residual = `<timeResidual>${residualOf(run)}<`;
    const xml = writeXml(event, PICKS).replaceAll(/<timeResidual>[^<]*</g, residual);
    catalogue.add({ row: event.row, xml });
  }
  const window = { startDate: "2014-01-01", endDate: "2024-01-01", updateExisting: true };
  const { status, body } = await client.send<ImportResult>("POST", "/api/import/agency", {
    ...window,
    ...(catalogueId !== undefined && { catalogueId }),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  runs.acknowledged.push(run);
  return body.catalogueId;
}

/** Moves one event of a catalogue deeper and says so in comments, again and again until it is cut off. */
async function editUntilCutOff(
  client: ApiClient,
  id: string,
  edits: Writes,
  comments: Writes,
): Promise<never> {
  const path = `/api/catalogues/${id}/events`;
  const { body } = await client.get<{ events: SeismicEvent[] }>(`${path}?limit=1&offset=0`);
  const event = `${path}/${body.events[0]?.id}`;
  for (;;) {
    edits.attempted += 1;
    const depth = depthOf(edits.attempted);
    const edited = await client.send("PATCH", event, { depth });
    if (edited.status === 200) edits.acknowledged.push(edits.attempted);
    comments.attempted += 1;
    const text = String(comments.attempted);
    const said = await client.send("POST", `${event}/comments`, { text });
    if (said.status === 201) comments.acknowledged.push(comments.attempted);
  }
}

type Whole = SeismicEvent & {
  readonly bulletin: Bulletin;
  readonly bulletin_sha256: string;
};

const SHOWN = ["time", "latitude", "longitude", "depth", "magnitude", "magnitude_type"] as const;

/** The events of the present version, whose hash, rows and bulletins agree. */
async function wholeEvents(
  client: ApiClient,
  { id, version }: Catalogue,
): Promise<readonly Whole[]> {
  const path = `/api/catalogues/${id}`;
  const answer = await client.stream(`${path}/export?format=json&include=bulletin`);
  const exported = await answer.text();
  const { body } = await client.get<{ version: VersionRecord }>(`${path}/versions/${version}`);
  expect(await hashInPython(exported)).toBe(body.version.sha256);
  const { events } = JSON.parse(exported) as { events: Whole[] };
  expectViews(events);
  return events;
}

/** Each row is the view of its bulletin, and tells the hash of it. */
function expectViews(events: readonly Whole[]): void {
  for (const { bulletin, bulletin_sha256: sha256, ...event } of events) {
    expect(sealBulletin(bulletin).sha256).toBe(sha256);
    const row = rowOfBulletin(bulletin, () => undefined);
    if (typeof row === "string") throw new Error(row);
    for (const name of SHOWN)
      expect([event.id, name, event[name]]).toEqual([event.id, name, row[name]]);
  }
}

/** What shows is of a write that was attempted, and no later one has been acknowledged. */
function expectLast(shown: number, { attempted, acknowledged }: Writes): void {
  expect(shown).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? 0);
  expect(shown).toBeLessThanOrEqual(attempted);
}

/** One event has the depth of the last edit, and every comment that was acknowledged. */
function expectEdited(events: readonly Whole[], edits: Writes, comments: Writes): void {
  const edited = events.find(({ bulletin }) => bulletin.comment !== undefined);
  if (edits.acknowledged.length > 0 && comments.acknowledged.length > 0) {
    expectLast((edited?.depth ?? 0) / depthOf(1), edits);
  }
  const said = edited?.bulletin.comment?.map(({ text }) => Number(text)) ?? [];
  expectLast(said.at(-1) ?? 0, comments);
  expect(said).toEqual(expect.arrayContaining(comments.acknowledged));
}

/** All arrivals are of one import. */
function expectImported(events: readonly Whole[], runs: Writes): void {
  const residuals = events.flatMap(({ bulletin: { origin = [] } }) =>
    origin.flatMap(({ arrival = [] }) => arrival.map(({ timeResidual }) => timeResidual ?? 0)),
  );
  const [residual = 0, ...others] = new Set(residuals);
  expect(others).toEqual([]);
  expectLast(residual - residualOf(0), runs);
}

const KILLS = 20;
/** In a part of the rounds PostgreSQL is killed too. */
const DATABASE_KILLED_EVERY = 4;
const SEED = 20_161_116;
const TEST_TIMEOUT_MS = 900_000;

let agency: TestAgency;
beforeAll(async () => {
  agency = await startTestAgency();
});
afterAll(() => agency.close());
const service = useKilledService(() => ({ AGENCY_URL: agency.url, AGENCY_RETRIES: "0" }));

test(
  `rows and bulletins agree, and versions are whole, after ${KILLS} kills while bulletins are created, edited and imported`,
  async () => {
    const random = randomOf(SEED);
    const [edits, comments, runs] = [noWrites(), noWrites(), noWrites()];
    const began = performance.now();
    const edited = await createUploaded(service.client, "edited");
    const imported = await importAgain(service.client, agency, runs);
    // In the rounds both are written at once, beside the edits: half of the kills find them unfinished.
    const writingMs = performance.now() - began;
    const created = new Set(["edited"]);
    const checked = new Set<string>();

    for (let round = 0; round < KILLS; round += 1) {
      const name = `round ${round}`;
      const works = [
        createUploaded(service.client, name).then(() => created.add(name)),
        editUntilCutOff(service.client, edited, edits, comments),
        importAgain(service.client, agency, runs, imported),
      ];
      const allCutOff = Promise.allSettled(works);
      await delay(random() * writingMs * 2);
      await service.kill(round % DATABASE_KILLED_EVERY === 0);
      await allCutOff;
      await service.start();

      const there = await settledCatalogues(service.client);
      expect(there.map((catalogue) => catalogue.name)).toEqual(
        expect.arrayContaining([...created]),
      );
      for (const catalogue of there) {
        // Also what was not acknowledged is whole, or not there at all.
        expect(catalogue.event_count).toBe(EVENTS);
        const version = `${catalogue.id} ${catalogue.version}`;
        if (checked.has(version)) continue;
        checked.add(version);
        const events = await wholeEvents(service.client, catalogue);
        expect(events).toHaveLength(EVENTS);
        if (catalogue.id === edited) expectEdited(events, edits, comments);
        if (catalogue.id === imported) expectImported(events, runs);
      }
    }
    const acknowledged = [edits, comments, runs].map((writes) => writes.acknowledged.length);
    process.stdout.write(
      `${KILLS} kills, ${created.size} catalogues and ${acknowledged} edits, comments and imports acknowledged, 0 lost\n`,
    );
    expect(edits.acknowledged.length).toBeGreaterThan(0);
    await service.stop();
    const { exitCode, lines } = await cli({ DATA_DIR: service.dataDir }, "verify", "catalogues");
    expect(exitCode, lines.join("\n")).toBe(0);
  },
  TEST_TIMEOUT_MS,
);
