import { beforeAll, describe, expect, test } from "vitest";
import type { MergePreview } from "#contracts/http/merges/merge.ts";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import type {
  DecidedEvent,
  DecidedGroup,
  MergeDecision,
  ShownDecision,
} from "#contracts/merge/merge-decision.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, type Person, person } from "../rights/rights-scene.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import {
  decidedEvents,
  decisionsPath,
  exportedEvents,
  merge,
  mergeForm,
  sourceOf,
} from "./merge-scene.ts";

const service = sharedService();
let editor: Person;
let client: ApiClient;
beforeAll(async () => {
  editor = await person(service, "editor");
  client = editor.client;
});

const DAYS = ["01", "02", "03"];
const events = (source: string) =>
  DAYS.map((day) => seismicEvent({ time: `2020-01-${day}T00:00:00Z`, source_id: source + day }));

/** A merge of two sources with three events each, and these events. */
async function scene(more: readonly unknown[] = []) {
  const first = await sourceOf(client, "first", events("a"));
  const second = await sourceOf(client, "second", [...events("b"), ...more]);
  const { catalogueId } = await merge(client, [first, second]);
  const a = await decidedEvents(client, first.id);
  const b = await decidedEvents(client, second.id);
  return { id: catalogueId, first, second, a, b };
}

const pair = (
  type: MergeDecision["type"],
  ...named: (DecidedEvent | undefined)[]
): MergeDecision => ({ type, events: named as DecidedEvent[] });

const put = (id: string, decisions: readonly unknown[], by = client) =>
  by.send<{ decisions: ShownDecision[]; error: string }>("PUT", decisionsPath(id), { decisions });

const read = async (id: string, by = client) =>
  (await by.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;

describe("GET /api/catalogues/:id/merge", () => {
  test("tells how a merge is merged, and that nothing was decided", async () => {
    const { id, first, second } = await scene();
    expect(await read(id)).toEqual({
      config: expect.objectContaining({ timeThreshold: 16, linkage: "complete" }),
      decisions: [],
      sources: [first, second].map((one) => ({ catalogue_id: one.id, version: 1, latest: 1 })),
      behind: false,
    });
  });

  test("tells that a source has a later version, and none of a deleted one", async () => {
    const { id, first, second } = await scene();
    const body = { events: [seismicEvent({ time: "2021-01-01T00:00:00Z" })] };
    await client.send("POST", `/api/catalogues/${first.id}/events`, body);
    await client.send("DELETE", `/api/catalogues/${second.id}`);
    const { sources, behind } = await read(id);
    expect(sources).toEqual([
      { catalogue_id: first.id, version: 1, latest: 2 },
      { catalogue_id: second.id, version: 1, latest: null },
    ]);
    expect(behind).toBe(true);
  });

  test("is 404 of a catalogue that is no merge", async () => {
    const { id } = await createCatalogue(client);
    const path = `/api/catalogues/${id}/merge`;
    expect((await client.get(path)).status).toBe(404);
    expect((await put(id, [])).status).toBe(404);
    expect((await client.get(`${path}?deep=1`)).status).toBe(400);
  });
});

describe("decisions of a merge", () => {
  test("are shown with who made them and when, in their order", async () => {
    const { id, a, b } = await scene();
    const decision = { ...pair("same", a[0], b[1]), note: "One, by the bulletin\nof 2020" };
    const made = await client.send<{ decision: ShownDecision }>(
      "POST",
      decisionsPath(id),
      decision,
    );
    expect(made.status).toBe(201);
    expect(made.body.decision).toEqual({
      ...decision,
      id: expect.any(String),
      actor: editor.id,
      at: expect.stringMatching(/^20.*Z$/),
      idle: false,
    });
    await client.send("POST", decisionsPath(id), pair("different", a[2], b[2]));
    const { decisions } = await read(id);
    expect(decisions.map(({ type, note }) => [type, note])).toEqual([
      ["same", decision.note],
      ["different", null],
    ]);
  });

  test("tell the group that the next refresh makes or splits by one", async () => {
    const { id, a, b } = await scene();
    const decide = async (decision: MergeDecision) => {
      const path = decisionsPath(id);
      const { body } = await client.send<{ group: DecidedGroup | null }>("POST", path, decision);
      return body.group;
    };
    const before = await exportedEvents(client, id);
    expect(before).toHaveLength(3);
    const split = await decide(pair("different", a[0], b[0]));
    expect(split?.event_ids).toEqual([before[0]?.id]);
    expect(new Set(split?.events)).toEqual(new Set([a[0], b[0]]));
    expect(await decide(pair("same", a[1], b[1]))).toBeNull();
    expect(await decide(pair("different", a[0], b[2]))).toBeNull();
    await client.send("PUT", decisionsPath(id), { decisions: [pair("different", a[0], b[0])] });
    const made = await decide(pair("same", a[1], b[2]));
    expect(new Set(made?.event_ids)).toEqual(new Set([before[1]?.id, before[2]?.id]));
    expect(new Set(made?.events)).toEqual(new Set([a[1], b[1], a[2], b[2]]));
    await client.send("POST", `/api/catalogues/${id}/merge/refresh`, {});
    expect(await decide(pair("different", a[0], b[0]))).toBeNull();
  });

  test("keep id, actor and time where PUT says them again, whatever the order of events", async () => {
    const { id, a, b } = await scene();
    const same = pair("same", a[0], b[0]);
    const before = (await put(id, [same, pair("different", a[1], b[1])])).body.decisions;
    const other = await person(service, "editor");
    const turned = pair("same", b[0], a[0]);
    const { body } = await put(id, [turned, pair("different", a[2], b[2])], other.client);
    expect(body.decisions).toHaveLength(2);
    expect(body.decisions).toContainEqual(before.find(({ type }) => type === "same"));
    expect(body.decisions.find(({ type }) => type === "different")?.actor).toBe(other.id);
    expect((await put(id, [])).body.decisions).toEqual([]);
  });

  test("are withdrawn one by one", async () => {
    const { id, a, b } = await scene();
    const { body } = await put(id, [pair("same", a[0], b[0]), pair("same", a[1], b[1])]);
    const [gone, left] = body.decisions;
    const path = `${decisionsPath(id)}/${gone?.id}`;
    expect((await client.send("DELETE", path)).body).toEqual({ success: true });
    expect((await read(id)).decisions).toEqual([left]);
    expect((await client.send("DELETE", path)).status).toBe(404);
  });

  test("are recorded with the merge that they were given to", async () => {
    const first = await sourceOf(client, "first", events("a"));
    const second = await sourceOf(client, "second", events("b"));
    const [a] = await decidedEvents(client, first.id);
    const b = await decidedEvents(client, second.id);
    const form = mergeForm([first, second]);
    const decisions = [pair("different", a, b[0])];
    const body = { ...form, config: { ...form.config, decisions } };
    const { body: made } = await client.send<{ catalogueId: string }>("POST", "/api/merge", body);
    const merged = await read(made.catalogueId);
    expect(merged.decisions).toMatchObject([{ ...decisions[0], actor: editor.id, idle: false }]);
    expect(merged.config).not.toHaveProperty("decisions");
    const wrong = { ...form, config: { ...form.config, decisions: [pair("same", b[0], b[1])] } };
    expect((await client.send("POST", "/api/merge", wrong)).status).toBe(400);
    expect((await client.send("POST", "/api/merge/preview", wrong)).status).toBe(400);
  });

  test("keep apart what is at one place and time, and join what is a day apart", async () => {
    const first = await sourceOf(client, "first", events("a"));
    const second = await sourceOf(client, "second", events("b"));
    const a = await decidedEvents(client, first.id);
    const b = await decidedEvents(client, second.id);
    const form = mergeForm([first, second]);
    const decisions = [pair("different", a[0], b[0]), pair("same", a[1], b[2])];
    const body = { ...form, config: { ...form.config, decisions } };
    const made = await client.send<{ catalogueId: string }>("POST", "/api/merge", body);
    const merged = await exportedEvents(client, made.body.catalogueId);
    const groups = merged.map(({ source_events: members }) =>
      (members ?? []).map(({ event_id: id }) => id).toSorted(),
    );
    const alone = [a[0], b[0], b[1], a[2]].map((one) => [one?.event_id]);
    const together = [a[1], b[2]].map((one) => one?.event_id).toSorted();
    expect(groups.toSorted()).toEqual([...alone, together].toSorted());
    const preview = await client.send<MergePreview>("POST", "/api/merge/preview", body);
    expect(preview.body).toMatchObject({ eventCount: 5, duplicateGroups: 1 });
  });

  test("that contradict each other, by way of others too, are refused with the pair named", async () => {
    const third = { ...seismicEvent({ time: "2020-02-01T00:00:00Z" }) };
    const { id, a, b } = await scene([third]);
    const apart = pair("different", a[0], b[0]);
    const { status, body } = await put(id, [apart, pair("same", a[0], b[0])]);
    expect(status).toBe(400);
    for (const event of [a[0], b[0]]) expect(body.error).toContain(event?.event_id);
    await put(id, [pair("same", a[0], b[0])]);
    const added = await client.send<{ error: string }>(
      "POST",
      decisionsPath(id),
      pair("same", a[0], b[1]),
    );
    expect(added.status).toBe(400);
    expect(added.body.error).toContain(b[1]?.event_id);
    expect((await read(id)).decisions).toHaveLength(1);
  });

  test.each([
    ["of no source", async ({ a }: Scene) => pair("same", a[0], await elsewhere())],
    ["that no source has had", ({ a, b }: Scene) => pair("same", a[0], unknownOf(b[0]))],
    ["that is named twice", ({ a }: Scene) => pair("same", a[0], a[0])],
    ["alone", ({ a }: Scene) => pair("different", a[0])],
  ])("about an event %s are refused", async (_, decisionOf) => {
    const there = await scene();
    const decision = await decisionOf(there);
    const { status, body } = await put(there.id, [decision]);
    expect(status).toBe(400);
    expect(body.error).toMatch(/event|decisions/);
    expect((await client.send("POST", decisionsPath(there.id), decision)).status).toBe(400);
  });

  test("are idle while their events are gone, and follow an event whose id was replaced", async () => {
    const { id, first, second, a, b } = await scene();
    await put(id, [pair("same", a[0], b[1]), pair("different", a[1], b[1])]);
    await client.send("DELETE", `/api/catalogues/${first.id}/events/${a[0]?.event_id}`);
    expect((await read(id)).decisions.map(({ type, idle }) => [type, idle]).toSorted()).toEqual([
      ["different", false],
      ["same", true],
    ]);
    const again = { events: [seismicEvent({ time: "2020-01-01T00:00:09Z", source_id: "a01" })] };
    await client.send("POST", `/api/catalogues/${first.id}/events`, again);
    expect((await read(id)).decisions.every(({ idle }) => !idle)).toBe(true);
    await client.send("DELETE", `/api/catalogues/${second.id}`);
    expect((await read(id)).decisions.every(({ idle }) => idle)).toBe(true);
  });

  test("made at the same time are all kept, and never contradict each other", async () => {
    const { id, a, b } = await scene();
    const both = [pair("same", a[0], b[0]), pair("different", a[0], b[0])];
    const others = [pair("same", a[1], b[1]), pair("same", a[2], b[2])];
    const answers = await Promise.all(
      [...both, ...others].map((one) => client.send("POST", decisionsPath(id), one)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 400]);
    expect((await read(id)).decisions).toHaveLength(3);
  });

  test("are for those who may change the catalogue", async () => {
    const { id } = await scene();
    await client.send("PATCH", `/api/catalogues/${id}`, { editing: "members" });
    const stranger = await person(service, "editor");
    const viewer = await person(service, "viewer");
    expect((await put(id, [], stranger.client)).status).toBe(403);
    expect((await put(id, [], viewer.client)).status).toBe(403);
    expect((await read(id, viewer.client)).decisions).toEqual([]);
    await giveRight(client, id, stranger.id, "edit");
    expect((await put(id, [], stranger.client)).status).toBe(200);
  });
});

describe("who may not read a source of a merge", () => {
  test("sees nothing of its events in decisions, and leaves these as they are", async () => {
    const { id, first, second, a, b } = await scene();
    await put(id, [pair("same", a[0], b[0])]);
    await client.send("PATCH", `/api/catalogues/${first.id}`, { access: "restricted" });
    const stranger = await person(service, "editor");
    const seen = await read(id, stranger.client);
    expect(seen.sources.map(({ catalogue_id, latest }) => [catalogue_id, latest])).toEqual([
      [null, null],
      [second.id, 1],
    ]);
    const nobody = { catalogue_id: null, event_id: null };
    expect(seen.decisions).toMatchObject([{ events: [nobody, b[0]], idle: false }]);
    const named = await put(id, [pair("same", a[1], b[1])], stranger.client);
    expect(named.status).toBe(400);
    expect((await put(id, [], stranger.client)).body.decisions).toEqual(seen.decisions);
    const path = `${decisionsPath(id)}/${seen.decisions[0]?.id}`;
    expect((await stranger.client.send("DELETE", path)).status).toBe(404);
    expect((await read(id)).decisions).toHaveLength(1);
  });

  test("is not told who decided, as a guest", async () => {
    const { id, a, b } = await scene();
    await put(id, [pair("same", a[0], b[0])]);
    await client.send("PATCH", `/api/catalogues/${id}`, { access: "public" });
    const { decisions } = await read(id, await service.loginAs("guest"));
    expect(decisions).toMatchObject([{ type: "same", actor: null }]);
  });
});

type Scene = Awaited<ReturnType<typeof scene>>;

async function elsewhere(): Promise<DecidedEvent | undefined> {
  const { id } = await createCatalogue(client);
  return (await decidedEvents(client, id))[0];
}

function unknownOf(event: DecidedEvent | undefined): DecidedEvent {
  return {
    catalogue_id: event?.catalogue_id ?? "",
    event_id: "0b7f5e0e-6c3d-4b54-9a2b-1d6b2f1c8a01",
  };
}
