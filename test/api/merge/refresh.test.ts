import { beforeAll, describe, expect, test } from "vitest";
import type { RefreshPreview } from "#contracts/http/merges/merge-refresh.ts";
import type { ApiAnswer, ApiClient } from "../../support/api-client.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { person } from "../rights/rights-scene.ts";
import { seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";
import { exportedEvents, merge, type Source, sourceOf } from "./merge-scene.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

type Refreshed = { version: number; added: number; updated: number; removed: number };

const refresh = (id: string, body?: unknown, headers?: Record<string, string>) =>
  editor.send<Refreshed>("POST", `/api/catalogues/${id}/merge/refresh`, body, headers);
const preview = (id: string, body?: unknown) =>
  editor.send<RefreshPreview>("POST", `/api/catalogues/${id}/merge/preview`, body);
const addTo = ({ id }: Source, ...events: object[]) =>
  editor.send("POST", `/api/catalogues/${id}/events`, { events });

const at = (time: string, sourceId: string) =>
  seismicEvent({ id: sourceId, time: `2020-01-01T${time}Z`, latitude: 1, longitude: 2 });

async function scene() {
  const sources = [
    await sourceOf(editor, "A", [at("00:00:00", "a1"), at("10:00:00", "a2")]),
    await sourceOf(editor, "B", [at("00:00:01", "b1"), at("20:00:00", "b2")]),
  ] as const;
  const { catalogueId } = await merge(editor, sources);
  return { sources, id: catalogueId };
}

describe("POST …/merge/refresh", () => {
  test("POST …/merge/refresh makes no version while the sources are as they were, with or without a body", async () => {
    const { id } = await scene();
    for (const body of [undefined, {}]) {
      const answer = await refresh(id, body);
      expect(answer.body).toEqual({ version: 1, added: 0, updated: 0, removed: 0 });
    }
  });

  test("POST …/merge/refresh writes what its preview shows, once, under the ids that events have", async () => {
    const { id, sources } = await scene();
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
    expect((await refresh(id)).body).toEqual({ version: 2, added: 0, updated: 0, removed: 0 });
    const { versions } = (
      await editor.get<{ versions: { cause: string }[] }>(`/api/catalogues/${id}/versions`)
    ).body;
    expect(versions.map(({ cause }) => cause)).toEqual(["merge", "merge"]);
  });

  test("POST …/merge/refresh is 409 while another runs", async () => {
    const events = [...generateEvents(1, 5_000)];
    const sources = [await sourceOf(editor, "A", events), await sourceOf(editor, "B", events)];
    const { catalogueId: id } = await merge(editor, sources);
    const moved = events.map((event) => ({ ...event, depth: 12.3 }));
    const path = `/api/catalogues/${sources[0]?.id}/events`;
    await editor.send("POST", path, { events: moved, updateExisting: true });
    const answers = await Promise.all([refresh(id), refresh(id)]);
    const [made, refused] = answers.toSorted((a, b) => a.status - b.status);
    expect(made?.body).toMatchObject({ version: 2 });
    expectRefusal(refused as ApiAnswer, "CONFLICT", "in progress");
    expect((await refresh(id)).body).toEqual({ version: 2, added: 0, updated: 0, removed: 0 });
  });

  test("POST …/merge/refresh keeps to decisions made since, which its preview tries before; what contradicts is 400", async () => {
    const { id, sources } = await scene();
    const [a, b] = [
      await exportedEvents(editor, sources[0].id),
      await exportedEvents(editor, sources[1].id),
    ];
    const of = (place: number, event?: { id: string }) => ({
      catalogue_id: sources[place]?.id,
      event_id: event?.id,
    });
    const apart = { type: "different", events: [of(0, a[0]), of(1, b[0])] };
    const together = { type: "same", events: [of(0, a[1]), of(1, b[1])] };
    const tried = (await preview(id, { decisions: [apart, together] })).body;
    expect(tried).toMatchObject({ added: 1, updated: 2, removed: 1, duplicateGroups: 1 });
    const against = { type: "same", events: apart.events };
    expectRefusal(await preview(id, { decisions: [apart, against] }), "VALIDATION_ERROR");
    expect((await preview(id)).body).toMatchObject({ added: 0, updated: 0, removed: 0 });
    await editor.send("PUT", `/api/catalogues/${id}/merge/decisions`, {
      decisions: [apart, together],
    });
    expect((await refresh(id)).body).toEqual({ version: 2, added: 1, updated: 2, removed: 1 });
    await editor.send("PUT", `/api/catalogues/${id}/merge/decisions`, { decisions: [] });
    expect((await refresh(id)).body).toMatchObject({ version: 3 });
    const members = (await exportedEvents(editor, id)).map((one) => one.source_events?.length);
    expect(members).toEqual([2, 1, 1]);
  });

  test("POST …/merge/refresh takes new settings, and keeps them", async () => {
    const { id } = await scene();
    const config = { timeThreshold: 0, distanceThreshold: 1, mergeStrategy: "newest" };
    const { body } = await refresh(id, { config });
    expect(body).toEqual({ version: 2, added: 1, updated: 1, removed: 0 });
    const { body: known } = await editor.get(`/api/catalogues/${id}/merge`);
    expect(known).toMatchObject({ config: { ...config, linkage: "complete" }, behind: false });
  });

  test("POST …/merge/refresh puts back what was changed by hand, under the same ids, and removes what was added", async () => {
    const { id } = await scene();
    const before = await exportedEvents(editor, id);
    const path = `/api/catalogues/${id}/events`;
    await editor.send("PATCH", `${path}/${before[0]?.id}`, { region: "by hand" });
    await editor.send("DELETE", `${path}/${before[1]?.id}`);
    await editor.send("POST", path, { events: [at("15:00:00", "by hand")] });
    expect((await refresh(id)).body).toEqual({ version: 5, added: 1, updated: 1, removed: 1 });
    expect(await exportedEvents(editor, id)).toEqual(before);
  });

  test("POST …/merge/refresh runs in the background where that is preferred", async () => {
    const { id, sources } = await scene();
    await addTo(sources[0], at("12:00:00", "a3"));
    const { status, body } = await editor.send<{ operationId: string }>(
      "POST",
      `/api/catalogues/${id}/merge/refresh`,
      {},
      { prefer: "respond-async" },
    );
    expect(status).toBe(202);
    const job = () =>
      editor.get<{ operation?: object; status?: string }>(`/api/operations/${body.operationId}`);
    await expect
      .poll(async () => JSON.stringify((await job()).body), { timeout: 10_000 })
      .toContain('"version":2');
  });

  test("POST …/merge/refresh is refused for a catalogue that is no merge, a body that is none, a condition that does not hold, and a source that was deleted", async () => {
    const { id, sources } = await scene();
    expectRefusal(await refresh(sources[0].id), "NOT_FOUND");
    expectRefusal(await refresh(id, { config: 1 }), "VALIDATION_ERROR");
    expectRefusal(await refresh(id, {}, { "if-match": '"7"' }), "PRECONDITION_FAILED");
    await editor.send("DELETE", `/api/catalogues/${sources[0].id}`);
    expectRefusal(await refresh(id), "CONFLICT");
    expectRefusal(await preview(id), "CONFLICT");
  });

  test("POST …/merge/refresh is refused to who may not read a source", async () => {
    const { client: other } = await person(service, "editor");
    const { id, sources } = await scene();
    await editor.send("PATCH", `/api/catalogues/${sources[0].id}`, { access: "restricted" });
    const answer = await other.send("POST", `/api/catalogues/${id}/merge/refresh`, {});
    expectRefusal(answer, "FORBIDDEN");
    expect((await refresh(id)).status).toBe(200);
  });
});
