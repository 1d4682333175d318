import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type {
  MergedCatalogue,
  MergePreview,
  MergeResult,
  ReviewPair,
} from "#contracts/http/merges.ts";
import type { MergeConfig } from "#contracts/merges/config.ts";
import type {
  DecidedEvent,
  DecidedGroup,
  MergeDecision,
  ShownDecision,
} from "#contracts/merges/decisions.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import {
  decidedEvents,
  decisionsPath,
  exportedEvents,
  merge,
  mergeForm,
  type Person,
  person,
  type Source,
  sourceOf,
} from "../../support/api/merges.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
let editor: Person;
let second: Person;
let client: ApiClient;
beforeAll(async () => {
  [editor, second] = [await person(service), await person(service)];
  client = editor.client;
});

const UNKNOWN = "0b7f5e0e-6c3d-4b54-9a2b-1d6b2f1c8a01";
const DAYS = ["01", "02", "03"];
const onDays = (label: string, at = "00") =>
  DAYS.map((day) => seismicEvent({ time: `2020-01-${day}T00:00:${at}Z`, source_id: label + day }));

/** Two sources with an event on each of three days, and these more in the second. */
async function sourcesOf(more: readonly unknown[] = []) {
  const sources = [
    await sourceOf(client, "first", onDays("a")),
    await sourceOf(client, "second", [...onDays("b"), ...more]),
  ] as const;
  const [a, b] = await Promise.all(sources.map(({ id }) => decidedEvents(client, id)));
  return { sources, a: a ?? [], b: b ?? [] };
}

async function scene(more: readonly unknown[] = []) {
  const made = await sourcesOf(more);
  return { ...made, id: (await merge(client, made.sources)).catalogueId };
}

const pair = (
  type: MergeDecision["type"],
  ...named: (DecidedEvent | undefined)[]
): MergeDecision => ({ type, events: named as DecidedEvent[] });

type Decided = { decision: ShownDecision; group: DecidedGroup | null; error: string };
const decide = (id: string, decision: MergeDecision) =>
  client.send<Decided>("POST", decisionsPath(id), decision);
const put = (id: string, decisions: readonly unknown[], by = client) =>
  by.send<{ decisions: ShownDecision[]; error: string }>("PUT", decisionsPath(id), { decisions });
const read = async (id: string, by = client) =>
  (await by.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;

test("a merged catalogue tells how it was merged and what of its sources is later or gone, and is 404 of no merge", async () => {
  const { id, sources } = await scene();
  const [first, other] = sources;
  expect(await read(id)).toEqual({
    config: expect.objectContaining({ timeThreshold: 16, linkage: "complete" }),
    decisions: [],
    sources: sources.map((one) => ({ catalogue_id: one.id, version: 1, latest: 1 })),
    behind: false,
  });
  const body = { events: [seismicEvent({ time: "2021-01-01T00:00:00Z" })] };
  await client.send("POST", `/api/catalogues/${first.id}/events`, body);
  await client.send("DELETE", `/api/catalogues/${other.id}`);
  expect(await read(id)).toMatchObject({
    sources: [
      { catalogue_id: first.id, version: 1, latest: 2 },
      { catalogue_id: other.id, version: 1, latest: null },
    ],
    behind: true,
  });
  const path = `/api/catalogues/${first.id}/merge`;
  expectRefusal(await client.get(path), "NOT_FOUND");
  expectRefusal(await client.get(`${path}/review`), "NOT_FOUND");
  expectRefusal(await put(first.id, []), "NOT_FOUND");
  expect((await client.get(`${path}?deep=1`)).status).toBe(400);
});

describe("decisions of a merge", () => {
  test("are shown with who made them and when, kept where PUT says them again, and withdrawn one by one", async () => {
    const { id, a, b } = await scene();
    const decision = { ...pair("same", a[0], b[1]), note: "One, by the bulletin\nof 2020" };
    const made = await decide(id, decision);
    expect(made.status).toBe(201);
    expect(made.body.decision).toEqual({
      ...decision,
      id: expect.any(String),
      actor: editor.id,
      at: expect.stringMatching(/^20.*Z$/),
      idle: false,
    });
    await decide(id, pair("different", a[2], b[2]));
    const { decisions } = await read(id);
    expect(decisions.map(({ type, note }) => [type, note])).toEqual([
      ["same", decision.note],
      ["different", null],
    ]);
    const again = [{ ...pair("same", b[1], a[0]), note: decision.note }, pair("same", a[1], b[2])];
    const { body } = await put(id, again, second.client);
    expect(body.decisions).toHaveLength(2);
    expect(body.decisions).toContainEqual(made.body.decision);
    const other = body.decisions.find((one) => one.id !== made.body.decision.id);
    expect(other?.actor).toBe(second.id);
    const path = `${decisionsPath(id)}/${other?.id}`;
    expect((await client.send("DELETE", path)).body).toEqual({ success: true });
    expect((await read(id)).decisions).toEqual([made.body.decision]);
    expectRefusal(await client.send("DELETE", path), "NOT_FOUND");
    expect((await put(id, [])).body.decisions).toEqual([]);
  });

  test("tell the group that the next refresh makes or splits by one", async () => {
    const { id, a, b } = await scene();
    const groupOf = async (decision: MergeDecision) => (await decide(id, decision)).body.group;
    const before = await exportedEvents(client, id);
    expect(before).toHaveLength(3);
    const split = await groupOf(pair("different", a[0], b[0]));
    expect(split?.event_ids).toEqual([before[0]?.id]);
    expect(new Set(split?.events)).toEqual(new Set([a[0], b[0]]));
    expect(await groupOf(pair("same", a[1], b[1]))).toBeNull();
    expect(await groupOf(pair("different", a[0], b[2]))).toBeNull();
    await put(id, [pair("different", a[0], b[0])]);
    const made = await groupOf(pair("same", a[1], b[2]));
    expect(new Set(made?.event_ids)).toEqual(new Set([before[1]?.id, before[2]?.id]));
    expect(new Set(made?.events)).toEqual(new Set([a[1], b[1], a[2], b[2]]));
    await client.send("POST", `/api/catalogues/${id}/merge/refresh`, {});
    expect(await groupOf(pair("different", a[0], b[0]))).toBeNull();
  });

  test("that contradict each other, by way of others too, or are about other events, are refused", async () => {
    const { id, a, b } = await scene([seismicEvent({ time: "2020-02-01T00:00:00Z" })]);
    const same = pair("same", a[0], b[0]);
    const { status, body } = await put(id, [pair("different", a[0], b[0]), same]);
    expect(status).toBe(400);
    for (const event of [a[0], b[0]]) expect(body.error).toContain(event?.event_id);
    await put(id, [same]);
    const added = await decide(id, pair("same", a[0], b[1]));
    expect(added.status).toBe(400);
    expect(added.body.error).toContain(b[1]?.event_id);
    const [elsewhere] = await decidedEvents(client, (await createCatalogue(client)).id);
    for (const [name, wrong] of [
      ["of no source", pair("same", a[0], elsewhere)],
      [
        "that no source has had",
        pair("same", a[0], { catalogue_id: b[0]?.catalogue_id ?? "", event_id: UNKNOWN }),
      ],
      ["named twice", pair("same", a[0], a[0])],
      ["alone", pair("different", a[0])],
    ] as const) {
      const refused = await put(id, [wrong]);
      expect(refused.status, name).toBe(400);
      expect(refused.body.error, name).toMatch(/event|decisions/);
      expect((await decide(id, wrong)).status, name).toBe(400);
    }
    expect((await read(id)).decisions).toHaveLength(1);
  });

  test("are idle while their events are gone, and follow an event whose id was replaced", async () => {
    const { id, sources, a, b } = await scene();
    const [first, other] = sources;
    await put(id, [pair("same", a[0], b[1]), pair("different", a[1], b[1])]);
    await client.send("DELETE", `/api/catalogues/${first.id}/events/${a[0]?.event_id}`);
    const idle = async () => (await read(id)).decisions.map((one) => [one.type, one.idle]);
    expect((await idle()).toSorted()).toEqual([
      ["different", false],
      ["same", true],
    ]);
    const again = { events: [seismicEvent({ time: "2020-01-01T00:00:09Z", source_id: "a01" })] };
    await client.send("POST", `/api/catalogues/${first.id}/events`, again);
    expect((await idle()).map(([, one]) => one)).toEqual([false, false]);
    await client.send("DELETE", `/api/catalogues/${other.id}`);
    expect((await idle()).map(([, one]) => one)).toEqual([true, true]);
  });

  test("made at the same time are all kept, and never contradict each other", async () => {
    const { id, a, b } = await scene();
    const both = [pair("same", a[0], b[0]), pair("different", a[0], b[0])];
    const others = [pair("same", a[1], b[1]), pair("same", a[2], b[2])];
    // Who waits longer than 2 s for the others is told to try again.
    const insist = async (decision: ReturnType<typeof pair>) => {
      for (;;) {
        const answer = await decide(id, decision);
        if (answer.status !== 503) return answer;
      }
    };
    const answers = await Promise.all([...both, ...others].map(insist));
    const told = JSON.stringify(answers.map(({ body }) => body));
    expect(answers.map(({ status }) => status).toSorted(), told).toEqual([201, 201, 201, 400]);
    expect((await read(id)).decisions).toHaveLength(3);
  });

  test("are for those who may change the catalogue, and shown of no source that is not theirs to read", async () => {
    const { id, sources, a, b } = await scene();
    const [first, other] = sources;
    const path = `/api/catalogues/${id}`;
    await put(id, [pair("same", a[0], b[0])]);
    await client.send("PATCH", path, { editing: "members" });
    const viewer = await person(service, "viewer");
    for (const one of [viewer, second]) {
      expectRefusal(await put(id, [], one.client), "FORBIDDEN");
      expect((await read(id, one.client)).decisions).toHaveLength(1);
    }
    await client.send("PUT", `${path}/members/${second.id}`, { right: "edit" });

    await client.send("PATCH", `/api/catalogues/${first.id}`, { access: "restricted" });
    const seen = await read(id, second.client);
    expect(seen.sources.map(({ catalogue_id, latest }) => [catalogue_id, latest])).toEqual([
      [null, null],
      [other.id, 1],
    ]);
    const nobody = { catalogue_id: null, event_id: null };
    expect(seen.decisions).toMatchObject([{ events: [nobody, b[0]], idle: false }]);
    expect((await put(id, [pair("same", a[1], b[1])], second.client)).status).toBe(400);
    expect((await put(id, [], second.client)).body.decisions).toEqual(seen.decisions);
    const one = `${decisionsPath(id)}/${seen.decisions[0]?.id}`;
    expectRefusal(await second.client.send("DELETE", one), "NOT_FOUND");
    expect((await read(id)).decisions).toHaveLength(1);

    await client.send("PATCH", path, { access: "public" });
    const { decisions } = await read(id, await service.loginAs("guest"));
    expect(decisions).toMatchObject([{ type: "same", actor: null }]);
  });
});

describe("a merge by decisions and windows", () => {
  /** Events of one place at these times, to be merged under the label. */
  async function source(label: string, ...times: string[]) {
    const events = times.map((time, i) => seismicEvent({ time, source_id: `${label}${i}` }));
    const made = await sourceOf(client, label, events);
    return { ...made, events: await decidedEvents(client, made.id) };
  }
  type Made = Awaited<ReturnType<typeof source>>;

  const form = (sources: readonly Source[], config: object) =>
    mergeForm(
      sources.map(({ id, source: label }) => ({ id, source: label })),
      config as Partial<MergeConfig>,
    );

  /** The ids of the members of the merged events. */
  async function merged(sources: readonly Made[], config: object) {
    const path = "/api/merge";
    const { status, body } = await client.send<MergeResult>("POST", path, form(sources, config));
    expect(status).toBe(200);
    const events = await exportedEvents(client, body.catalogueId);
    const groups = events.map((event) =>
      (event.source_events ?? []).map(({ event_id }) => event_id).toSorted(),
    );
    return { id: body.catalogueId, groups: groups.toSorted() };
  }
  const ids = (...groups: (DecidedEvent | undefined)[][]) =>
    groups.map((group) => group.map((event) => event?.event_id).toSorted()).toSorted();

  test("keeps apart and joins as was decided, whatever the thresholds, and records that", async () => {
    const a = await source("A", "2020-01-01T00:00:00Z", "2020-01-05T00:00:00Z");
    const b = await source("B", "2020-01-01T00:00:00Z", "2020-01-06T00:00:00Z");
    expect((await merged([a, b], {})).groups).toHaveLength(3);
    const decisions = [
      pair("different", a.events[0], b.events[0]),
      pair("same", a.events[1], b.events[1]),
    ];
    const { id, groups } = await merged([a, b], { decisions });
    expect(groups).toEqual(ids([a.events[0]], [b.events[0]], [a.events[1], b.events[1]]));
    const known = await read(id);
    const recorded = decisions.map((one) => ({ ...one, actor: editor.id, idle: false }));
    // They were made at one time.
    const byType = known.decisions.toSorted((one, other) => (one.type < other.type ? -1 : 1));
    expect(byType).toMatchObject(recorded);
    expect(known.config).not.toHaveProperty("decisions");
    const wrong = form([a, b], { decisions: [pair("same", b.events[0], b.events[1])] });
    expect((await client.send("POST", "/api/merge", wrong)).status).toBe(400);
    expect((await client.send("POST", "/api/merge/preview", wrong)).status).toBe(400);
  });

  test("follows an event whose id was replaced, and goes without one that is gone", async () => {
    const a = await source("A", "2020-01-01T00:00:00Z");
    const b = await source("B", "2020-01-01T00:00:00Z", "2020-03-01T00:00:00Z");
    const [first, other] = b.events;
    const decisions = [pair("different", a.events[0], first), pair("same", a.events[0], other)];
    await client.send("DELETE", `/api/catalogues/${a.id}/events/${a.events[0]?.event_id}`);
    await client.send("DELETE", `/api/catalogues/${b.id}/events/${other?.event_id}`);
    const again = { events: [seismicEvent({ time: "2020-01-01T00:00:00Z", source_id: "A0" })] };
    await client.send("POST", `/api/catalogues/${a.id}/events`, again);
    const [replacing] = await decidedEvents(client, a.id);
    expect(replacing?.event_id).not.toBe(a.events[0]?.event_id);
    expect((await merged([a, b], { decisions })).groups).toEqual(ids([replacing], [first]));
  });

  test("has the thresholds of its windows", async () => {
    const a = await source("A", "1906-01-01T00:00:00Z", "2020-01-01T00:00:00Z");
    const b = await source("B", "1906-01-01T00:05:00Z", "2020-01-01T00:05:00Z");
    const early = { to: "1960-01-01T00:00:00Z", timeThreshold: 600, distanceThreshold: 200 };
    const never = { ...early, timeThreshold: null, distanceThreshold: null };
    for (const [config, count] of [
      [{ windows: [early] }, 3],
      [{ windows: [never], timeThreshold: 600 }, 3],
      [{ windows: [{ sources: ["A"], ...early }] }, 4],
    ] as const) {
      expect((await merged([a, b], config)).groups).toHaveLength(count);
    }
  });

  test("is previewed without decided pairs among those that a person should look at", async () => {
    const a = await source("A", "2020-01-01T00:00:00Z");
    const b = await source("B", "2020-01-01T00:00:20Z");
    const preview = async (config: object) =>
      (await client.send<MergePreview>("POST", "/api/merge/preview", form([a, b], config))).body;
    const deciding = (type: MergeDecision["type"]) => ({
      decisions: [pair(type, a.events[0], b.events[0])],
    });
    expect((await preview({})).ambiguous).toHaveLength(1);
    const apart = { ambiguous: [], eventCount: 2, duplicateGroups: 0 };
    expect(await preview(deciding("different"))).toMatchObject(apart);
    const one = { ambiguous: [], eventCount: 1, duplicateGroups: 1 };
    expect(await preview(deciding("same"))).toMatchObject(one);
  });
});

describe("the pairs of a merge to look at", () => {
  type List = { pairs: ReviewPair[]; nextCursor?: string };

  /** A merge of two sources, whose events of each day are too far apart to be merged, but not by much. */
  async function reviewed() {
    const sources = [
      await sourceOf(client, "early", onDays("a")),
      await sourceOf(client, "late", onDays("b", "20")),
    ];
    const { catalogueId: id } = await merge(client, sources);
    return { id, sources, path: `/api/catalogues/${id}/merge/review` };
  }
  const pairs = async (id: string, query = "", by = client) =>
    (await by.get<List>(`/api/catalogues/${id}/merge/review${query}`)).body.pairs;
  const days = (list: readonly ReviewPair[]) => list.map((one) => one.first.time.slice(8, 10));
  const change = (id: string, one: ReviewPair | undefined, body: object, by = client) =>
    by.send<{ pair: ReviewPair }>("PUT", `/api/catalogues/${id}/merge/review/${one?.id}`, body);

  test("are those of its preview, page by page, without those that are decided, as of the merge, of sources that one may read", async () => {
    const { id, sources, path } = await reviewed();
    const form = mergeForm(sources);
    const preview = await client.send<MergePreview>("POST", "/api/merge/preview", form);
    const nothing = { id: expect.any(String), claim: null, later: false, note: null };
    const all = await pairs(id);
    expect(all).toEqual(preview.body.ambiguous.map((one) => ({ ...one, ...nothing })));
    expect(days(all)).toEqual(DAYS);
    const page = await client.get<List>(`${path}?limit=2`);
    const rest = await client.get<List>(`${path}?limit=2&cursor=${page.body.nextCursor}`);
    expect([days(page.body.pairs), days(rest.body.pairs)]).toEqual([["01", "02"], ["03"]]);
    expect(rest.body).not.toHaveProperty("nextCursor");
    for (const query of [`state=open&cursor=${page.body.nextCursor}`, "state=done"]) {
      expect((await client.get(`${path}?${query}`)).status, query).toBe(400);
    }
    expectRefusal(await (await service.loginAs("viewer")).get(path), "FORBIDDEN");

    const { first, second: late } = all[1] ?? expect.fail("there is a second");
    const named = [first, late].map(({ catalogue_id, event_id }) => ({ catalogue_id, event_id }));
    const { body } = await decide(id, { type: "different", events: named });
    expect(days(await pairs(id))).toEqual(["01", "03"]);
    expectRefusal(await change(id, all[1], { claim: true }), "NOT_FOUND");
    await client.send("DELETE", `${decisionsPath(id)}/${body.decision.id}`);
    const event = `/api/catalogues/${sources[0]?.id}/events/${all[0]?.first.event_id}`;
    await client.send("PATCH", event, { time: "2020-01-01T00:00:19Z" });
    expect(await pairs(id)).toEqual(all);

    await client.send("PATCH", `/api/catalogues/${sources[0]?.id}`, { access: "restricted" });
    expect(await pairs(id)).toHaveLength(3);
    expect(await pairs(id, "", second.client)).toEqual([]);
    expectRefusal(await change(id, all[0], { claim: true }, second.client), "NOT_FOUND");
    for (const wrong of ["none", `${UNKNOWN}.x`]) {
      expectRefusal(await client.send("PUT", `${path}/${wrong}`, { claim: true }), "NOT_FOUND");
    }
  });

  test("are claimed by one, put aside, handed over to who may change the catalogue, and free after 15 minutes", async () => {
    const { id } = await reviewed();
    const [one, other] = await pairs(id);
    const { status, body } = await change(id, one, { claim: true, note: "Looks like one" });
    expect(status).toBe(200);
    const claim = { user: editor.id, at: expect.any(String) };
    expect(body.pair).toEqual({ ...one, claim, note: "Looks like one" });
    for (const wrong of [{ claim: true }, { later: true }, { note: "Not at all" }]) {
      expectRefusal(await change(id, one, wrong, second.client), "CONFLICT");
    }
    expect(days(await pairs(id, "?state=claimed"))).toEqual(["01"]);
    expect(days(await pairs(id, "?state=open", second.client))).toEqual(["02", "03"]);
    expect((await change(id, one, { claim: false })).body.pair.claim).toBeNull();
    expect((await change(id, one, { claim: true }, second.client)).status).toBe(200);

    await change(id, other, { claim: true, note: "Ask the network" });
    const aside = await change(id, other, { later: true });
    expect(aside.body.pair).toMatchObject({ claim: null, later: true, note: "Ask the network" });
    expect(days(await pairs(id, "?state=later"))).toEqual(["02"]);
    const again = await change(id, other, { claim: true, note: null });
    expect(again.body.pair).toMatchObject({ later: false, note: null });
    expect(await pairs(id, "?state=later")).toEqual([]);

    const viewer = await person(service, "viewer");
    for (const nobody of [viewer.id, "user_1_nobody"]) {
      expect((await change(id, other, { claim: nobody })).status).toBe(400);
    }
    const handed = await change(id, other, { claim: second.id });
    expect(handed.body.pair.claim?.user).toBe(second.id);
    expectRefusal(await change(id, other, { note: "mine?" }), "CONFLICT");
    expect((await change(id, other, { note: "mine" }, second.client)).status).toBe(200);

    const database = new pg.Client(service.databaseUrl);
    await database.connect();
    await database.query(
      `update operations.merge_review set claimed_at = claimed_at - interval '15 minutes'
       where catalogue_id = $1`,
      [id],
    );
    await database.end();
    expect((await pairs(id))[1]?.claim).toBeNull();
    const taken = await change(id, other, { claim: true });
    expect(taken.body.pair.claim?.user).toBe(editor.id);
  });

  test("that two claim at once are one's", async () => {
    const { id } = await reviewed();
    const [one] = await pairs(id);
    const answers = await Promise.all(
      [editor, second].map((who) => change(id, one, { claim: true }, who.client)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});
