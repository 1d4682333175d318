import { expect } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ImportResult } from "#contracts/http/imports.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { sealBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";
import type { TestAgency } from "../../support/agency/test-agency.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { hashInPython } from "../../support/api/hash-in-python.ts";
import type { ApiClient } from "../../support/api-client.ts";

/** Of every catalogue. */
export const EVENTS = 400;
const PICKS = 3;
const SEED = 20_161_115;
const given = [...servedEvents(SEED, EVENTS)];
const FILE = `${XML_HEAD}${given.map((event) => writeXml(event, PICKS)).join("")}${XML_TAIL}`;

/** Writes of one kind, numbered from 1, so that one that is lost shows. */
export type Writes = { attempted: number; readonly acknowledged: number[] };

export const noWrites = (): Writes => ({ attempted: 0, acknowledged: [] });

/** Depth of the edited event after the edit of a number, in km: exact as a double, in metres too. */
export const depthOf = (edit: number): number => edit / 8;

/** Residual of every arrival after the import of a number, in seconds. */
export const residualOf = (run: number): number => run + 0.5;

/** A catalogue of whole events by a kept upload; its id. @throws Error where it is refused */
export async function createUploaded(client: ApiClient, name: string): Promise<string> {
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
export async function importAgain(
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
export async function editUntilCutOff(
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

export type Whole = SeismicEvent & {
  readonly bulletin: Bulletin;
  readonly bulletin_sha256: string;
};

const SHOWN = ["time", "latitude", "longitude", "depth", "magnitude", "magnitude_type"] as const;

/** The events of the present version, whose hash, rows and bulletins agree. */
export async function wholeEvents(
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
export function expectViews(events: readonly Whole[]): void {
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
export function expectEdited(events: readonly Whole[], edits: Writes, comments: Writes): void {
  const edited = events.find(({ bulletin }) => bulletin.comment !== undefined);
  if (edits.acknowledged.length > 0 && comments.acknowledged.length > 0) {
    expectLast((edited?.depth ?? 0) / depthOf(1), edits);
  }
  const said = edited?.bulletin.comment?.map(({ text }) => Number(text)) ?? [];
  expectLast(said.at(-1) ?? 0, comments);
  expect(said).toEqual(expect.arrayContaining(comments.acknowledged));
}

/** All arrivals are of one import. */
export function expectImported(events: readonly Whole[], runs: Writes): void {
  const residuals = events.flatMap(({ bulletin: { origin = [] } }) =>
    origin.flatMap(({ arrival = [] }) => arrival.map(({ timeResidual }) => timeResidual ?? 0)),
  );
  const [residual = 0, ...others] = new Set(residuals);
  expect(others).toEqual([]);
  expectLast(residual - residualOf(0), runs);
}
