import { expect } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import { rowOfBulletin } from "#infra/formats/quakeml/row-of-bulletin.ts";
import { hashInPython } from "../../support/api/hash-in-python.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { depthOf, residualOf, type Writes } from "./writes.ts";

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
