import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ValidationReport } from "#contracts/http/event-bodies.ts";
import type { Duplicates } from "#contracts/http/events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { merge } from "../../support/api/merges.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { groupByBruteForce } from "../../support/merge/brute-force.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { eventsOf } from "../formats/file-round.ts";

const service = sharedService();
const editor = service.client("editor");
const viewer = service.client("viewer");
const guest = service.client("guest");
describe("GET /api/events/by-id/{id}", () => {
  type Found = {
    readonly events: readonly { readonly catalogue_id: string; readonly by: string }[];
    readonly truncated: boolean;
  };

  const byId = (client: ApiClient, id: string) =>
    client.get<Found>(`/api/events/by-id/${encodeURIComponent(id)}`);

  /** Of each event found its catalogue, and by what. */
  const summary = async (client: ApiClient, id: string) =>
    (await byId(client, id)).body.events?.map((found) => [found.catalogue_id, found.by]);

  /** Ids that no other test has. */
  let made = 0;
  const newName = () => `byid${process.pid}x${made++}`;
  const named = (id: string, further = {}) => oneEvent(editor, seismicEvent({ id, ...further }));

  async function restricted(id: string) {
    const { id: catalogue } = await createCatalogue(editor, {
      access: "restricted",
      events: [seismicEvent({ id })],
    });
    return { id: catalogue, event: (await listEvents(editor, catalogue))[0] };
  }

  test("finds an event by each of its ids, those that it had, and a removed one with the last version that has it", async () => {
    const [name, next] = [newName(), newName()];
    const publicId = `smi:org.example/event/${name}`;
    const { id, event, change, send } = await named(name, { public_id: publicId });
    const found = { catalogue_id: id, event_id: event.id };
    const expectFound = async (asked: string, by: string, version: number, removed = false) =>
      expect((await byId(viewer, asked)).body, asked).toEqual({
        events: [{ ...found, by, version, removed }],
        truncated: false,
      });
    await expectFound(event.id, "id", 1);
    await expectFound(event.id.toUpperCase(), "id", 1);
    await expectFound(event.id.replaceAll("-", ""), "id", 1);
    await expectFound(name, "source_id", 1);
    await expectFound(publicId, "public_id", 1);
    await change({ source_id: next });
    await expectFound(name, "former", 2);
    await send("DELETE", "");
    await expectFound(name, "former", 2, true);
    await expectFound(next, "source_id", 2, true);
    await expectFound(event.id, "id", 2, true);
    for (const asked of ["%00", "%20", "é", "a".repeat(900), "a,b", "..%2F..", "' or true --"]) {
      expectRefusal(await viewer.get(`/api/events/by-id/${asked}`), "NOT_FOUND");
    }
    const answer = await viewer.get(`/api/events/by-id/${name}?asOf=1`);
    expectRefusal(answer, "VALIDATION_ERROR", "asOf");
  });

  test("finds the events of several catalogues, and none of a deleted one", async () => {
    const name = newName();
    const [older, newer] = [await named(name), await named(name)];
    expect(await summary(viewer, name)).toEqual([
      [newer.id, "source_id"],
      [older.id, "source_id"],
    ]);
    await editor.send("DELETE", newer.catalogue);
    expect(await summary(viewer, name)).toEqual([[older.id, "source_id"]]);
  });

  test("shows guests the versions of public catalogues that they may read, and nobody what is not his", async () => {
    const [name, next, secret] = [newName(), newName(), newName()];
    const { catalogue, event, change } = await named(name);
    for (const id of [name, event.id]) expectRefusal(await byId(guest, id), "NOT_FOUND");
    await change({ source_id: next });
    await editor.send("PATCH", catalogue, { is_public: true });
    expect((await byId(guest, next)).body.events).toMatchObject([{ by: "source_id", version: 2 }]);
    expectRefusal(await byId(guest, name), "NOT_FOUND");
    expect((await byId(viewer, name)).body.events).toMatchObject([{ by: "former" }]);
    const hidden = await restricted(secret);
    for (const asked of [secret, hidden.event?.id ?? ""]) {
      const stranger = expectRefusal(await byId(viewer, asked), "NOT_FOUND");
      expect(stranger).toEqual((await byId(viewer, newName())).body);
      expectRefusal(await byId(guest, asked), "NOT_FOUND");
      expect((await byId(editor, asked)).body.events).toHaveLength(1);
    }
  });

  test("finds a merged event by the ids of its members", async () => {
    const [chosen, other] = [newName(), newName()];
    const [best, worse] = [await named(chosen, { used_station_count: 50 }), await named(other)];
    const { catalogueId } = await merge(editor, [
      { id: worse.id, source: "worse" },
      { id: best.id, source: "best" },
    ]);
    for (const [asked, from, by] of [
      [chosen, [catalogueId, "source_id"], [best.id, "source_id"]],
      [other, [worse.id, "source_id"], [catalogueId, "member"]],
      [worse.event.id, [worse.id, "id"], [catalogueId, "member"]],
    ] as const) {
      expect(await summary(viewer, asked)).toEqual([from, by]);
    }
    await editor.send("DELETE", worse.catalogue);
    expectRefusal(await byId(viewer, other), "NOT_FOUND");
    expect(await summary(viewer, worse.event.id)).toEqual([[catalogueId, "member"]]);
    const [event] = await listEvents(editor, catalogueId);
    await editor.send("DELETE", `/api/catalogues/${catalogueId}/events/${event?.id}`);
    expect((await byId(viewer, worse.event.id)).body.events).toEqual([
      { catalogue_id: catalogueId, event_id: event?.id, by: "member", version: 1, removed: true },
    ]);
  });

  test("tells nobody of members from sources that he may not read", async () => {
    const hidden = newName();
    const [known, secret] = [await named(newName()), await restricted(hidden)];
    const { catalogueId } = await merge(editor, [
      { id: known.id, source: "known" },
      { id: secret.id, source: "secret" },
    ]);
    await editor.send("PATCH", `/api/catalogues/${catalogueId}`, { access: "internal" });
    const secretId = secret.event?.id ?? "";
    const member = [catalogueId, "member"];
    expect(await summary(editor, secretId)).toEqual([[secret.id, "id"], member]);
    for (const id of [secretId, hidden]) expectRefusal(await byId(viewer, id), "NOT_FOUND");
    expect(await summary(viewer, known.event.id)).toEqual([[known.id, "id"], member]);
  });
});

describe("events are told apart by their ids", () => {
  const [A, B, C] = [
    "smi:de.bgr/2015/event/1",
    "smi:de.bgr/2016/event/1",
    "smi:de.bgr/2017/event/1",
  ];

  /** An event that is told by its magnitude. */
  const event = (sourceId: string | null, publicId: string | null, magnitude: number) =>
    seismicEvent({
      magnitude,
      source_id: sourceId,
      ...(publicId !== null && { extra: { public_id: publicId } }),
    });

  type Added = {
    readonly newEvents: number;
    readonly updatedEvents: number;
    readonly skippedEvents: number;
    readonly validationReport: ValidationReport;
  };

  async function catalogueOf(...events: readonly unknown[]) {
    const { id, validationReport } = await createCatalogue(editor, { events });
    const path = `/api/catalogues/${id}/events`;
    return {
      id,
      path,
      validationReport,
      /** Events that are updated where they are there. */
      update: async (...further: readonly unknown[]) => {
        const body = { events: further, updateExisting: true };
        return (await editor.send<Added>("POST", path, body)).body;
      },
      /** Expects the `source_id`, public id and magnitude of each event, the weakest first. */
      has: async (...expected: readonly (readonly [string | null, string, number])[]) => {
        const stored = await eventsOf(editor, id);
        const rows = stored.map((one) => [one.source_id, one.extra?.["public_id"], one.magnitude]);
        expect(rows.sort((a, b) => Number(a[2]) - Number(b[2]))).toEqual(expected);
      },
    };
  }

  test("of one source_id are all kept where their public ids differ, the later under these", async () => {
    const three = [event("1", A, 1), event("1", B, 2), event(null, C, 3)];
    const { id, has, path, validationReport } = await catalogueOf(...three);
    expect(validationReport).toMatchObject({ failedValidation: 0, successRate: 100 });
    await has(["1", A, 1], [B, B, 2], [null, C, 3]);
    const [weakest] = await listEvents(editor, id, "maxMagnitude=1");
    const first = `${path}/${weakest?.id}`;
    const change = (patch: unknown) => editor.send("PATCH", first, patch);
    expectRefusal(await change({ source_id: B }), "CONFLICT", "source_id");
    expectRefusal(await change({ extra: { public_id: B } }), "CONFLICT", "public id");
    const other = "smi:de.bgr/2018/event/1";
    expect((await change({ source_id: "2", extra: { public_id: other } })).status).toBe(200);
    await has(["2", other, 1], [B, B, 2], [null, C, 3]);
  });

  test("are one where these are, and the later is invalid", async () => {
    for (const [first, later, id] of [
      [event("1", A, 1), event("2", A, 2), "2"],
      [event("1", A, 1), event(null, A, 2), A],
      [event("1", A, 1), event(A, null, 2), A],
      [event("1", null, 1), event("1", A, 2), "1"],
      [event("1", A, 1), event("1", null, 2), "1"],
    ] as const) {
      const { id: made, validationReport } = await catalogueOf(first, later);
      const errors = [{ field: "source_id", message: "duplicate id" }];
      const invalid = { index: 1, id, reason: "source_id duplicate id", errors };
      expect(validationReport.invalidEvents).toEqual([invalid]);
      expect(await listEvents(editor, made)).toHaveLength(1);
    }
  });

  test("where they are added: none overwrites one of another public id, and each is found again by its own", async () => {
    const { update, has } = await catalogueOf(event("1", A, 1));
    const added = await update(event("1", B, 2), event("1", C, 3));
    expect(added).toMatchObject({ newEvents: 2, updatedEvents: 0 });
    await has(["1", A, 1], [B, B, 2], [C, C, 3]);
    const again = await update(event("1", C, 5), event("mine", B, 4), event(A, null, 1));
    expect(again).toMatchObject({ newEvents: 0, updatedEvents: 2, skippedEvents: 1 });
    await has(["1", A, 1], [B, B, 4], [C, C, 5]);
    // A bare id alone does not tell them apart.
    expect(await update(event("1", null, 9))).toMatchObject({ skippedEvents: 1 });
    await has(["1", A, 1], [B, B, 4], [C, C, 5]);
  });

  test("where they are updated: one keeps its public id, and takes one where it has none", async () => {
    const keeping = await catalogueOf(event("1", A, 1));
    await keeping.update(event("1", null, 2));
    await keeping.has(["1", A, 2]);
    await keeping.update(event("1", B, 3));
    await keeping.has(["1", A, 2], [B, B, 3]);
    const taking = await catalogueOf(event("1", null, 1));
    await taking.update(event("1", A, 2), event("1", B, 3));
    await taking.has(["1", A, 2], [B, B, 3]);
  });
});

const timeAt = (seconds: number) => new Date(Date.UTC(2020, 0, 1, 0, 0, seconds)).toISOString();

type Given = {
  readonly seconds: number;
  readonly latitude?: number;
  readonly magnitude?: number | null;
};

async function catalogueOf(given: readonly Given[]) {
  const events = given.map(({ seconds, latitude = 0, magnitude = 5 }, i) =>
    seismicEvent({ id: `e${i}`, time: timeAt(seconds), latitude, longitude: 0, magnitude }),
  );
  const { id } = await createCatalogue(editor, { events });
  const path = `/api/catalogues/${id}`;
  const find = (body: object) =>
    editor.send<Duplicates>("POST", `${path}/duplicates`, {
      timeThreshold: 10,
      distanceThreshold: 20,
      ...body,
    });
  const list = async () =>
    (await editor.get<{ events: SeismicEvent[] }>(`${path}/export?format=json`)).body.events;
  return { path, find, list };
}

const namesIn = ({ groups }: Duplicates) =>
  groups.map(({ members }) => members.map(({ source_id }) => source_id));

describe("POST …/duplicates", () => {
  test("groups the events that are near each other, and writes nothing", async () => {
    const { path, find, list } = await catalogueOf([
      { seconds: 0 },
      { seconds: 4, latitude: 0.1, magnitude: null },
      { seconds: 100 },
      { seconds: 200 },
      { seconds: 210 },
    ]);
    const before = await list();
    const { status, body, headers } = await find({});
    expect(status).toBe(200);
    expect(headers.get("etag")).toBe('"1"');
    expect(body).toMatchObject({ version: 1, truncated: false });
    expect(namesIn(body)).toEqual([
      ["e0", "e1"],
      ["e3", "e4"],
    ]);
    const [first, second] = before.toReversed();
    expect(body.groups[0]?.members).toEqual(
      [first, second].map((event) => ({
        event_id: event?.id,
        source_id: event?.source_id,
        time: event?.time,
        latitude: event?.latitude,
        longitude: event?.longitude,
        depth: event?.depth,
        magnitude: event?.magnitude,
      })),
    );
    const catalogue = await editor.get(path);
    expect(catalogue.body).toMatchObject({ version: 1, event_count: 5 });
  });

  test("looks at the events that the filters leave, and at magnitudes where their difference is bounded", async () => {
    const { find } = await catalogueOf([
      { seconds: 0, magnitude: 5 },
      { seconds: 1, magnitude: 6 },
      { seconds: 50, magnitude: 8.3 },
      { seconds: 51, magnitude: 7.3 },
      { seconds: 90, magnitude: 3 },
      { seconds: 91, magnitude: null },
    ]);
    expect(namesIn((await find({})).body)).toHaveLength(3);
    expect(namesIn((await find({ magnitudeDifference: 1 })).body)).toEqual([
      ["e0", "e1"],
      ["e2", "e3"],
    ]);
    expect(namesIn((await find({ magnitudeDifference: 0.9 })).body)).toEqual([]);
    const filters = { startTime: timeAt(10), minMagnitude: 7.5 };
    expect(namesIn((await find({ filters })).body)).toEqual([]);
    expect(namesIn((await find({ filters: { maxMagnitude: 6 } })).body)).toEqual([["e0", "e1"]]);
  });

  test("groups as a merge does in which every event is of a source of its own", async () => {
    const anyEvent = fc.record({
      seconds: fc.integer({ min: 0, max: 40 }),
      latitude: fc.integer({ min: 0, max: 4 }).map((north) => north / 10),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 14 }), async (given) => {
        const { find, list } = await catalogueOf(given);
        const origins = (await list()).map((event, source) => ({ ...event, source }));
        const expected = groupByBruteForce(origins, { thresholds: thresholdsOf(10, 20) });
        const { body } = await find({});
        const ids = body.groups.map(({ members }) =>
          members.map(({ event_id }) => event_id).sort(),
        );
        expect(ids.toSorted()).toEqual(expected.filter((group) => group.length > 1).toSorted());
      }),
      { numRuns: runs(40) },
    );
  });

  test("answers the first 1,000 groups, and that there are more", async () => {
    const given = Array.from({ length: 2_002 }, (_, i) => ({
      seconds: Math.floor(i / 2) * 60,
      magnitude: i % 7,
    }));
    const { find } = await catalogueOf(given);
    const { body } = await find({});
    expect([body.groups.length, body.truncated]).toEqual([1_000, true]);
    expect(body.groups[0]?.members[0]?.time).toBe(timeAt(0));
    const fewer = (await find({ filters: { endTime: timeAt(60 * 999) } })).body;
    expect([fewer.groups.length, fewer.truncated]).toEqual([1_000, false]);
  });

  test("names events that one edit removes, to editors, and is refused without what it needs", async () => {
    const { path, find, list } = await catalogueOf([{ seconds: 0 }, { seconds: 1 }]);
    for (const [body, named] of [
      [{ timeThreshold: undefined }, "timeThreshold"],
      [{ distanceThreshold: 1_001 }, "distanceThreshold"],
      [{ magnitudeDifference: -1 }, "magnitudeDifference"],
      [{ filters: { depth: 1 } }, "depth"],
      [{ filters: { minDepth: 2, maxDepth: 1 } }, "minDepth"],
    ] as const) {
      expectRefusal(await find(body), "VALIDATION_ERROR", named);
    }
    const events = (await find({})).body.groups.map(({ members }) => members[1]?.event_id);
    const removal = await editor.send("POST", `${path}/events/remove`, { events });
    expect(removal.body).toEqual({ version: 2, removed: 1 });
    expect(await list()).toHaveLength(1);
    expect((await find({})).body).toEqual({ version: 2, groups: [], truncated: false });
  });
});
