import { beforeAll, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { MergeResult } from "#contracts/http/merges/merge.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { exportedEvents, merge, mergeForm, type Source, sourceOf } from "./merge-scene.ts";

const EVENTS = 2_000;
const ROUNDS = 6;
const NOTHING_NEAR = { timeThreshold: 0, distanceThreshold: 0 };

const service = sharedService();
let client: ApiClient;
let lasting: Source;
beforeAll(async () => {
  client = await service.loginAs("editor");
  lasting = await sourceOf(client, "lasting", [...generateEvents(1, EVENTS)]);
});

/** The events of a catalogue as its version `version` has them: all tell which it is. */
const eventsOf = (version: number): JsonObject[] =>
  [...generateEvents(2, EVENTS)].map((event) => ({ ...event, magnitude: version / 10 }));

test("a source that changes while it is merged is merged as of one version", async () => {
  const changing = await sourceOf(client, "changing", eventsOf(1));
  let isMerging = true;
  const change = async () => {
    for (let version = 2; isMerging; version += 1) {
      const body = { events: eventsOf(version), updateExisting: true };
      const answer = await client.send("POST", `/api/catalogues/${changing.id}/events`, body);
      expect(answer.body).toMatchObject({ version, updatedEvents: EVENTS });
    }
  };
  const changed = change();
  const versions: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { catalogueId } = await merge(client, [lasting, changing], NOTHING_NEAR);
    const { body } = await client.get<Catalogue>(`/api/catalogues/${catalogueId}`);
    const version = body.source_catalogues?.[1]?.version ?? 0;
    const events = await exportedEvents(client, catalogueId);
    const ofChanging = events.filter(
      ({ source_events: members }) => members?.[0]?.source === "changing",
    );
    expect(ofChanging).toHaveLength(EVENTS);
    expect(new Set(ofChanging.map(({ magnitude }) => magnitude))).toEqual(new Set([version / 10]));
    versions.push(version);
  }
  isMerging = false;
  await changed;
  expect(new Set(versions).size).toBeGreaterThan(1);
});

test("a source that is deleted while it is merged is merged whole, or not found", async () => {
  const statuses = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const doomed = await sourceOf(client, "doomed", eventsOf(1));
    const form = mergeForm([lasting, doomed], NOTHING_NEAR);
    const merging = client.send<MergeResult>("POST", "/api/merge", form);
    // The deletion is asked for with the merge, ever later while it reads, and last when it is over.
    for (let i = 0; i < round ** 2; i += 1) {
      await client.get(`/api/catalogues/${doomed.id}/versions`);
    }
    if (round === ROUNDS - 1) await merging;
    const deleted = await client.send("DELETE", `/api/catalogues/${doomed.id}`);
    expect(deleted.status).toBe(200);
    const { status, body } = await merging;
    statuses.add(status);
    expect([200, 404]).toContain(status);
    if (status === 404) continue;
    expect(body.originalEventCount).toBe(2 * EVENTS);
    expect(await exportedEvents(client, body.catalogueId)).toHaveLength(2 * EVENTS);
  }
  expect(statuses).toContain(200);
});

test("a merge whose client goes away ends in order", async () => {
  const { token } = await (await newAccount(service, "editor")).signIn();
  const other = await sourceOf(client, "other", eventsOf(1));
  const named = async (name: string) => {
    const { body } = await client.get<{ catalogues: Catalogue[] }>(
      `/api/catalogues?search=${encodeURIComponent(name)}`,
    );
    return body.catalogues;
  };
  const leaving = new AbortController();
  const merging = fetch(new URL("/api/merge", service.url), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...mergeForm([lasting, other], NOTHING_NEAR), name: "left alone" }),
    signal: leaving.signal,
  });
  const left = Promise.allSettled([merging]);
  await expect.poll(() => named("left alone"), { interval: 5 }).toHaveLength(1);
  leaving.abort();
  await left;
  await expect
    .poll(() => named("left alone"))
    .toMatchObject([{ status: "active", event_count: 2 * EVENTS }]);
});
