import pg from "pg";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { MergedCatalogue, MergeResult, RefreshPreview } from "#contracts/http/merges.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { seismicEvent } from "../../support/api/catalogue.ts";
import {
  decidedEvents,
  exportedEvents,
  merge,
  mergeForm,
  type Person,
  person,
  type Source,
  sourceOf,
} from "../../support/api/merges.ts";
import { whileRevisionIsOpen } from "../../support/api/open-revision.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
let maker: Person;
let editor: ApiClient;
beforeAll(async () => {
  maker = await person(service);
  editor = maker.client;
});

type Refreshed = { version: number; added: number; updated: number; removed: number };

const refresh = (id: string, body?: unknown, headers?: Record<string, string>, by = editor) =>
  by.send<Refreshed>("POST", `/api/catalogues/${id}/merge/refresh`, body, headers);
const preview = (id: string, body?: unknown) =>
  editor.send<RefreshPreview>("POST", `/api/catalogues/${id}/merge/preview`, body);
const addTo = async ({ id }: Source, ...events: object[]) => {
  const { status } = await editor.send("POST", `/api/catalogues/${id}/events`, { events });
  expect(status).toBe(200);
};
const restrict = ({ id }: Source, by = editor) =>
  by.send("PATCH", `/api/catalogues/${id}`, { access: "restricted" });
const read = async (id: string) =>
  (await editor.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;
const versionsOf = async (id: string) =>
  (await editor.get<{ versions: CatalogueVersion[] }>(`/api/catalogues/${id}/versions`)).body
    .versions;

const at = (time: string, sourceId: string) =>
  seismicEvent({ id: sourceId, time: `2020-01-01T${time}Z`, latitude: 1, longitude: 2 });

async function scene(config: object = {}, by = editor) {
  const sources = [
    await sourceOf(editor, "A", [at("00:00:00", "a1"), at("10:00:00", "a2")]),
    await sourceOf(editor, "B", [at("00:00:01", "b1"), at("20:00:00", "b2")]),
  ] as const;
  return { sources, id: (await merge(by, sources, config)).catalogueId };
}

describe("a refresh of a merge", () => {
  const NOTHING = { added: 0, updated: 0, removed: 0 };

  test("writes what its preview shows, once, under the ids that events have, and puts back what was changed by hand", async () => {
    const { id, sources } = await scene();
    for (const body of [undefined, {}]) {
      expect((await refresh(id, body)).body).toEqual({ version: 1, ...NOTHING });
    }
    const before = await exportedEvents(editor, id);
    await addTo(sources[1], at("10:00:02", "b3"), at("23:00:00", "b4"));
    const shown = (await preview(id)).body;
    expect(shown).toMatchObject({
      version: 1,
      added: 1,
      updated: 1,
      removed: 0,
      eventCount: 4,
      originalEventCount: 6,
      duplicateGroups: 2,
      duplicatesRemoved: 2,
      truncated: false,
    });
    expect(await exportedEvents(editor, id)).toEqual(before);
    expect((await refresh(id)).body).toEqual({ version: 2, added: 1, updated: 1, removed: 0 });
    const after = await exportedEvents(editor, id);
    for (const { change, event } of shown.changes) {
      expect(after).toContainEqual(event);
      expect(before.some((one) => one.id === event.id)).toBe(change === "updated");
    }
    expect(shown.changes.find(({ change }) => change === "updated")?.before).toEqual(before[1]);
    expect((await refresh(id)).body).toEqual({ version: 2, ...NOTHING });
    expect((await versionsOf(id)).map(({ cause }) => cause)).toEqual(["merge", "merge"]);

    const path = `/api/catalogues/${id}/events`;
    await editor.send("PATCH", `${path}/${after[0]?.id}`, { region: "by hand" });
    await editor.send("DELETE", `${path}/${after[1]?.id}`);
    await editor.send("POST", path, { events: [at("15:00:00", "by hand")] });
    expect((await refresh(id)).body).toEqual({ version: 6, added: 1, updated: 1, removed: 1 });
    expect(await exportedEvents(editor, id)).toEqual(after);
  });

  test("keeps to decisions made since, which its preview tries before, and takes and keeps new settings", async () => {
    const { id, sources } = await scene();
    const [a, b] = await Promise.all(sources.map((one) => decidedEvents(editor, one.id)));
    const apart = { type: "different", events: [a?.[0], b?.[0]] };
    const together = { type: "same", events: [a?.[1], b?.[1]] };
    const against = { type: "same", events: apart.events };
    const tried = (await preview(id, { decisions: [apart, together] })).body;
    expect(tried).toMatchObject({ added: 1, updated: 2, removed: 1, duplicateGroups: 1 });
    expectRefusal(await preview(id, { decisions: [apart, against] }), "VALIDATION_ERROR");
    expect((await preview(id)).body).toMatchObject(NOTHING);
    const put = (decisions: readonly unknown[]) =>
      editor.send("PUT", `/api/catalogues/${id}/merge/decisions`, { decisions });
    await put([apart, together]);
    expect((await refresh(id)).body).toEqual({ version: 2, added: 1, updated: 2, removed: 1 });
    await put([]);
    expect((await refresh(id)).body).toMatchObject({ version: 3 });
    const members = (await exportedEvents(editor, id)).map((one) => one.source_events?.length);
    expect(members).toEqual([2, 1, 1]);
    const config = { timeThreshold: 0, distanceThreshold: 1, mergeStrategy: "newest" };
    const { body } = await refresh(id, { config });
    expect(body).toEqual({ version: 4, added: 1, updated: 1, removed: 0 });
    const kept = { config: { ...config, linkage: "complete" }, behind: false };
    expect(await read(id)).toMatchObject(kept);
  });

  test("runs in the background where that is preferred", async () => {
    const { id, sources } = await scene();
    await addTo(sources[0], at("12:00:00", "a3"));
    const answer = await refresh(id, {}, { prefer: "respond-async" });
    expect(answer.status).toBe(202);
    const { operationId } = answer.body as unknown as { operationId: string };
    const result = { version: 2, added: 1 };
    expect(await endOf(editor, operationId)).toMatchObject({ status: "succeeded", result });
  });

  test("is refused for what is no merge, while another runs, on a condition that does not hold, to who may not read a source, and of one that was deleted", async () => {
    const { id, sources } = await scene();
    expectRefusal(await refresh(sources[0].id), "NOT_FOUND");
    expectRefusal(await refresh(id, { config: 1 }), "VALIDATION_ERROR");
    expectRefusal(await refresh(id, {}, { "if-match": '"7"' }), "PRECONDITION_FAILED");
    await addTo(sources[0], at("12:00:00", "a3"));
    await whileRevisionIsOpen(service, id, async () => {
      expectRefusal(await refresh(id), "CONFLICT", "in progress");
    });
    await restrict(sources[0]);
    const other = await person(service);
    expectRefusal(await refresh(id, {}, {}, other.client), "FORBIDDEN");
    expect((await refresh(id)).status).toBe(200);
    await editor.send("DELETE", `/api/catalogues/${sources[0].id}`);
    expectRefusal(await refresh(id), "CONFLICT");
    expectRefusal(await preview(id), "CONFLICT");
  });
});

describe.concurrent("a merge that follows its sources", () => {
  // Not by `expect.poll`, which knows one test at a time.
  const following = (id: string, isSo: (merge: MergedCatalogue) => boolean) =>
    vi.waitFor(async () => expect(isSo(await read(id))).toBe(true), {
      timeout: 20_000,
      interval: 100,
    });
  const isUpToDate = ({ behind }: MergedCatalogue) => !behind;
  const in2017 = seismicEvent({ time: "2017-01-01T00:00:00Z" });
  const in2018 = seismicEvent({ time: "2018-01-01T00:00:00Z" });

  /** Changes how a merge fares, as if that had come about. */
  async function changeState(id: string, change: string): Promise<void> {
    const database = new pg.Client(service.databaseUrl);
    await database.connect();
    try {
      const update = `update operations.merge_follows set ${change} where catalogue_id = $1`;
      await database.query(update, [id]);
    } finally {
      await database.end();
    }
  }

  test("is refreshed by itself once a minute in its maker's name; parked after failures until it is refreshed by hand; one that does not follow stays as it is", async () => {
    const follow = { follow: true };
    const [one, failed, still] = [await scene(follow), await scene(follow), await scene()];
    const fresh = { parked: false, failures: 0, error: null, last_run: null };
    expect((await read(one.id)).follow).toEqual(fresh);
    for (const { sources } of [one, failed, still]) await addTo(sources[0], in2017);
    await following(one.id, isUpToDate);
    await following(failed.id, isUpToDate);
    const [version] = await versionsOf(one.id);
    expect(version).toMatchObject({ version: 2, cause: "merge", actor: maker.id, added: 1 });
    await following(one.id, (merged) => typeof merged.follow?.last_run === "string");
    const { follow: state } = await read(one.id);

    const parked = "failures = 5, error = 'It failed', last_run = last_run - interval '1 day'";
    await changeState(failed.id, parked);
    for (const { sources } of [one, failed]) await addTo(sources[1], in2018);
    const others = await scene(follow);
    await addTo(others.sources[0], in2017);
    await following(others.id, isUpToDate);
    expect(await read(one.id)).toMatchObject({ behind: true, follow: state });
    expect(await read(failed.id)).toMatchObject({
      behind: true,
      follow: { parked: true, failures: 5, error: "It failed" },
    });
    const unmoved = await read(still.id);
    expect(unmoved.behind).toBe(true);
    expect(unmoved).not.toHaveProperty("follow");

    await changeState(one.id, "last_run = last_run - interval '1 minute'");
    expect((await refresh(failed.id, {})).body).toMatchObject({ added: 1 });
    const healed = { parked: false, failures: 0, error: null };
    expect((await read(failed.id)).follow).toMatchObject(healed);
    await addTo(failed.sources[0], seismicEvent({ time: "2019-01-01T00:00:00Z" }));
    for (const { id } of [one, failed]) await following(id, isUpToDate);
  });

  test("fails, and says why, where its maker may not read a source any more or is no editor", async () => {
    const [owner, other] = [await person(service), await person(service)];
    const mine = await sourceOf(editor, "mine", [seismicEvent()]);
    const theirs = await sourceOf(owner.client, "theirs", [seismicEvent()]);
    const { catalogueId: id } = await merge(editor, [mine, theirs], { follow: true });
    const made = await scene({ follow: true }, other.client);
    await restrict(theirs, owner.client);
    const admin = await service.loginAs("admin");
    await admin.send("PATCH", `/api/users/${other.id}`, { role: "viewer" });
    for (const source of [mine, made.sources[0]]) await addTo(source, in2017);
    await following(id, ({ follow }) => (follow?.failures ?? 0) > 0);
    expect(await read(id)).toMatchObject({
      behind: true,
      follow: {
        parked: false,
        failures: 1,
        error: expect.stringMatching(/right to read every source/),
      },
    });
    await following(made.id, ({ follow }) => follow?.error?.includes("may not change") === true);
  });
});

describe("while a merge reads its sources", () => {
  const EVENTS = 200;
  const ROUNDS = 4;
  const NOTHING_NEAR = { timeThreshold: 0, distanceThreshold: 0 };
  let lasting: Source;
  beforeAll(async () => {
    lasting = await sourceOf(editor, "lasting", [...generateEvents(1, EVENTS)]);
  });

  /** The events of a catalogue as its version `version` has them: all tell which it is. */
  const eventsOf = (version: number) =>
    [...generateEvents(2, EVENTS)].map((event) => ({ ...event, magnitude: version / 10 }));

  test("one that changes is merged as of one version", async () => {
    const changing = await sourceOf(editor, "changing", eventsOf(1));
    let isMerging = true;
    const change = async () => {
      for (let version = 2; isMerging; version += 1) {
        const body = { events: eventsOf(version), updateExisting: true };
        const answer = await editor.send("POST", `/api/catalogues/${changing.id}/events`, body);
        expect(answer.body).toMatchObject({ version, updatedEvents: EVENTS });
      }
    };
    const changed = change();
    const versions: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { catalogueId } = await merge(editor, [lasting, changing], NOTHING_NEAR);
      const { body } = await editor.get<Catalogue>(`/api/catalogues/${catalogueId}`);
      const version = body.source_catalogues?.[1]?.version ?? 0;
      const events = await exportedEvents(editor, catalogueId);
      const magnitudes = events
        .filter(({ source_events: members }) => members?.[0]?.source === "changing")
        .map(({ magnitude }) => magnitude);
      expect(magnitudes).toEqual(Array(EVENTS).fill(version / 10));
      versions.push(version);
    }
    isMerging = false;
    await changed;
    expect(new Set(versions).size).toBeGreaterThan(1);
  });

  test("one that is deleted is merged whole, or not found", async () => {
    const statuses = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const doomed = await sourceOf(editor, "doomed", eventsOf(1));
      const form = mergeForm([lasting, doomed], NOTHING_NEAR);
      const merging = editor.send<MergeResult>("POST", "/api/merge", form);
      // The deletion is asked for with the merge, ever later while it reads, and last when it is over.
      for (let i = 0; i < round ** 2; i += 1) await versionsOf(doomed.id);
      if (round === ROUNDS - 1) await merging;
      const deleted = await editor.send("DELETE", `/api/catalogues/${doomed.id}`);
      expect(deleted.status).toBe(200);
      const { status, body } = await merging;
      statuses.add(status);
      expect([200, 404]).toContain(status);
      if (status === 404) continue;
      expect(body.originalEventCount).toBe(2 * EVENTS);
      expect(await exportedEvents(editor, body.catalogueId)).toHaveLength(2 * EVENTS);
    }
    expect(statuses).toContain(200);
  });

  test("a client that goes away leaves a merge that ends in order", async () => {
    const { token } = await (await newAccount(service, "editor")).signIn();
    const other = await sourceOf(editor, "other", eventsOf(1));
    const named = async (name: string) => {
      const path = `/api/catalogues?search=${encodeURIComponent(name)}`;
      return (await editor.get<{ catalogues: Catalogue[] }>(path)).body.catalogues;
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
    const whole = [{ status: "active", event_count: 2 * EVENTS }];
    await expect.poll(() => named("left alone")).toMatchObject(whole);
  });
});
