import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

type Changed = { event: SeismicEvent; version: number };
type Answered = { bulletin: Bulletin; version: number; source: string };

const GIVEN = smallBulletin();
const idOf = (kind: string, place: number) => `smi:test.local/one/${kind}/${place}`;
const solution = (kind: string, id: string) => `solutions/${kind}/${encodeURIComponent(id)}`;

/** An event with `smallBulletin()`, or another event, alone in a catalogue. */
async function oneEvent(submitted: object = { bulletin: GIVEN }) {
  const { id } = await createCatalogue(editor, { events: [submitted] });
  const { body } = await editor.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/events/filtered`,
  );
  const [event] = body.events;
  if (event === undefined) throw new Error("no event");
  const path = `/api/catalogues/${id}/events/${event.id}`;
  const bulletin = async (asOf = "") =>
    (await editor.get<Answered>(`${path}/bulletin${asOf}`)).body.bulletin;
  const patch = async (change: object) => {
    const answer = await editor.send<Changed>("PATCH", path, change);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  return { id, event, path, bulletin, patch };
}

function attributesOf(event: SeismicEvent, ...left: string[]) {
  return Object.fromEntries(
    ATTRIBUTE_NAMES.filter((name) => !left.includes(name)).map((name) => [name, event[name]]),
  );
}

describe("an edited attribute of an event with a bulletin", () => {
  test("makes another preferred origin; the old one and its arrivals stay, and the rest of the row", async () => {
    const { event, patch, bulletin } = await oneEvent();
    const { event: changed, version } = await patch({ depth: 33 });
    expect(version).toBe(2);
    expect(changed.depth).toBe(33);
    expect(attributesOf(changed, "depth")).toEqual(attributesOf(event, "depth"));
    const after = await bulletin();
    expect(after.origin?.slice(0, 2)).toEqual(GIVEN.origin);
    expect(after.origin?.[2]).toMatchObject({
      publicID: after.preferredOriginID,
      depth: { value: 33_000 },
      creationInfo: { agencyID: "WEL", version: "2" },
      foreign: [{ name: "madeFrom", text: idOf("origin", 1) }],
    });
    expect(after.origin?.[2]?.arrival).toBeUndefined();
    expect(after.preferredMagnitudeID).toBe(idOf("magnitude", 1));
  });

  test("twice leaves one origin of ours, history has both, and equal values make no version", async () => {
    const { path, patch, bulletin } = await oneEvent();
    await patch({ depth: 33 });
    expect((await patch({ depth: 34 })).version).toBe(3);
    expect((await patch({ depth: 34 })).version).toBe(3);
    expect((await bulletin()).origin).toHaveLength(3);
    expect((await bulletin("?asOf=2")).origin?.[2]?.depth?.value).toBe(33_000);
    const { body } = await editor.get<{ history: { event: SeismicEvent }[] }>(`${path}/history`);
    expect(body.history.map(({ event }) => event.depth)).toEqual([34, 33, 12.3]);
  });

  test("of the magnitude, region, type and mechanisms changes what it is of", async () => {
    const { patch, bulletin } = await oneEvent();
    const { event } = await patch({
      magnitude: 5.1,
      region: "Cook Strait",
      event_type: "quarry blast",
      focal_mechanisms: [{ misfit: 0.5 }],
    });
    expect(event).toMatchObject({ magnitude: 5.1, region: "Cook Strait", depth: 12.3 });
    const after = await bulletin();
    expect(after).toMatchObject({
      type: "quarry blast",
      description: [{ text: "Cook Strait", type: "region name" }],
      focalMechanism: [{ misfit: 0.5 }],
    });
    expect(after.origin).toEqual(GIVEN.origin);
    expect(after.magnitude?.[2]).toMatchObject({ mag: { value: 5.1, uncertainty: 0.2 } });
  });

  test("that the bulletin does not say leaves it as it is", async () => {
    const { event, patch } = await oneEvent();
    const { event: changed, version } = await patch({ extra: { note: "checked" } });
    expect(version).toBe(2);
    expect(changed.bulletin_sha256).toBe(event.bulletin_sha256);
  });

  test("comes back as it was when an earlier version is restored", async () => {
    const { id, event, path, patch, bulletin } = await oneEvent();
    await patch({ depth: 33 });
    await editor.send("PATCH", `${path}/preferred`, { originID: idOf("origin", 2) });
    await editor.send("POST", `/api/catalogues/${id}/versions/1/restore`);
    const { body } = await editor.get<{ event: SeismicEvent }>(path);
    expect(body.event).toEqual({ ...event, source_count: undefined });
    expect(await bulletin()).toEqual(GIVEN);
  });
});

test("after every kind of change an earlier version comes back with the same bulletin and the same hash", async () => {
  const { id, path, patch, bulletin } = await oneEvent();
  const hashOf = async (version: number) => {
    const record = await editor.get<{ version: VersionRecord }>(
      `/api/catalogues/${id}/versions/${version}`,
    );
    return record.body.version.sha256;
  };
  const magnitude = solution("magnitude", idOf("magnitude", 2));
  await patch({ depth: 33, magnitude: 5.1, region: "Cook Strait", event_type: "quarry blast" });
  await editor.send("PATCH", `${path}/preferred`, { originID: idOf("origin", 2) });
  await editor.send("DELETE", `${path}/${magnitude}?cascade=true`);
  await editor.send("POST", `${path}/comments`, { text: "checked" });
  await editor.send("PUT", `${path}/bulletin`, { bulletin: smallBulletin("other") });
  await editor.send("DELETE", `${path}/bulletin`);
  const restored = await editor.send("POST", `/api/catalogues/${id}/versions/1/restore`);
  expect(restored.body).toEqual({ version: 8 });
  expect(await bulletin()).toEqual(GIVEN);
  const hashes = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(hashOf));
  expect(hashes[7]).toBe(hashes[0]);
  expect(new Set(hashes).size).toBe(7);
});

describe("preferred solutions", () => {
  test("move, and the row follows; null leaves the choice to the rules", async () => {
    const { path, bulletin } = await oneEvent();
    const moved = await editor.send<Changed>("PATCH", `${path}/preferred`, {
      originID: idOf("origin", 2),
      magnitudeID: idOf("magnitude", 2),
    });
    expect(moved.body).toMatchObject({
      event: { latitude: -41.75, magnitude: 4.7, magnitude_type: "ML" },
      version: 2,
    });
    const chosen = await editor.send<Changed>("PATCH", `${path}/preferred`, { originID: null });
    expect(chosen.body.event.latitude).toBe(-41.5);
    expect((await bulletin()).preferredOriginID).toBeUndefined();
  });

  test("that are not there are refused, and equal ones make no version", async () => {
    const { path } = await oneEvent();
    expectRefusal(
      await editor.send("PATCH", `${path}/preferred`, { originID: "smi:x.y/9" }),
      "CONFLICT",
    );
    const same = await editor.send<Changed>("PATCH", `${path}/preferred`, {
      originID: idOf("origin", 1),
    });
    expect(same.body.version).toBe(1);
    const row = await oneEvent(seismicEvent());
    expectRefusal(
      await editor.send("PATCH", `${row.path}/preferred`, { originID: "x" }),
      "CONFLICT",
    );
    const none = await editor.send<Changed>("PATCH", `${row.path}/preferred`, { originID: null });
    expect(none.body).toMatchObject({
      version: 1,
      event: row.event.id ? { id: row.event.id } : {},
    });
  });
});

describe("deleting a solution", () => {
  test("takes a free one; a preferred or needed one only with what goes with it", async () => {
    const { path, bulletin } = await oneEvent();
    const free = await editor.send(
      "DELETE",
      `${path}/${solution("magnitude", idOf("magnitude", 2))}`,
    );
    expect(free.body).toEqual({
      version: 2,
      deleted: [{ kind: "magnitude", publicID: idOf("magnitude", 2) }],
    });
    const preferred = `${path}/${solution("magnitude", idOf("magnitude", 1))}`;
    expectRefusal(await editor.send("DELETE", preferred), "CONFLICT", "preferred");
    const origin = `${path}/${solution("origin", idOf("origin", 1))}`;
    await editor.send("PATCH", `${path}/preferred`, { originID: idOf("origin", 2) });
    expectRefusal(await editor.send("DELETE", origin), "CONFLICT", "referred to");
    const { body } = await editor.send<{ deleted: object[] }>("DELETE", `${origin}?cascade=true`);
    expect(body.deleted).toEqual([
      { kind: "magnitude", publicID: idOf("magnitude", 1) },
      { kind: "stationMagnitude", publicID: idOf("stationMagnitude", 1) },
      { kind: "origin", publicID: idOf("origin", 1) },
    ]);
    const after = await bulletin();
    expect(after.pick).toEqual(GIVEN.pick);
    expect(after.magnitude).toBeUndefined();
    expectRefusal(await editor.send("DELETE", origin), "NOT_FOUND");
  });
});

describe("comments", () => {
  test("come into the bulletin with author and time, which is made of the row where there is none", async () => {
    for (const submitted of [{ bulletin: GIVEN }, seismicEvent()]) {
      const { event, path, bulletin } = await oneEvent(submitted);
      const answer = await editor.send<{ comment: object; version: number }>(
        "POST",
        `${path}/comments`,
        {
          text: "felt in Wellington",
          further: "members are ignored, as in other bodies",
        },
      );
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        comment: {
          text: "felt in Wellington",
          creationInfo: { author: expect.any(String), creationTime: expect.any(String) },
        },
        version: 2,
      });
      expect((await bulletin()).comment?.at(-1)).toEqual(answer.body.comment);
      const { body } = await editor.get<{ event: SeismicEvent }>(path);
      expect(attributesOf(body.event)).toEqual(attributesOf(event));
    }
  });
});

test("a stale tag is refused by every change of a bulletin", async () => {
  const { path, patch } = await oneEvent();
  const tag = (await editor.get(path)).headers.get("etag") ?? "";
  await patch({ depth: 33 });
  const stale = { "if-match": tag };
  const answers = [
    await editor.send("PATCH", `${path}/preferred`, { originID: null }, stale),
    await editor.send(
      "DELETE",
      `${path}/${solution("magnitude", idOf("magnitude", 2))}`,
      undefined,
      stale,
    ),
    await editor.send("POST", `${path}/comments`, { text: "late" }, stale),
    await editor.send("PUT", `${path}/bulletin`, { bulletin: GIVEN }, stale),
    await editor.send("DELETE", `${path}/bulletin`, undefined, stale),
    await editor.send("PATCH", path, { depth: 1 }, stale),
  ];
  for (const answer of answers) expectRefusal(answer, "PRECONDITION_FAILED");
});

test("history and differences name the solutions in which a bulletin differs", async () => {
  const { id, path, patch } = await oneEvent();
  const [origin, ...others] = GIVEN.origin ?? [];
  const [arrival] = origin?.arrival ?? [];
  const changed = { ...origin, arrival: [{ ...arrival, timeResidual: 0.5 }] };
  const bulletin = { ...GIVEN, origin: [changed, ...others] };
  await editor.send("PUT", `${path}/bulletin`, { bulletin });
  await patch({ extra: { note: "the row alone" } });
  const solutions = [
    { kind: "arrival", publicID: arrival?.publicID, change: "updated", members: ["timeResidual"] },
  ];
  const { history } = (await editor.get<{ history: object[] }>(`${path}/history`)).body;
  expect(history).toMatchObject([{ version: 3 }, { version: 2, solutions }, { version: 1 }]);
  expect(history[0]).not.toHaveProperty("solutions");
  const diff = await editor.get(`/api/catalogues/${id}/versions/2/diff`);
  expect(diff.body).toMatchObject({ updated: 1, changes: [{ change: "updated", solutions }] });
});
