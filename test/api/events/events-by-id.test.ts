import { beforeAll, describe, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { merge } from "../merge/merge-scene.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
let viewer: ApiClient;
let guest: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  viewer = await service.loginAs("viewer");
  guest = await service.loginAs("guest");
});

type Found = {
  readonly events: readonly {
    readonly catalogue_id: string;
    readonly event_id: string;
    readonly by: string;
    readonly version: number;
    readonly removed: boolean;
  }[];
  readonly truncated: boolean;
};

const byId = (client: ApiClient, id: string) =>
  client.get<Found>(`/api/events/by-id/${encodeURIComponent(id)}`);

/** Ids that no other test has. */
let made = 0;
const newName = () => `byid${process.pid}x${made++}`;

async function catalogueOf(form: Readonly<Record<string, unknown>>) {
  const { id } = await createCatalogue(editor, form);
  const path = `/api/catalogues/${id}`;
  const { body } = await editor.get<{ events: SeismicEvent[] }>(`${path}/events`);
  const [event] = body.events;
  if (event === undefined) throw new Error("the event is not there");
  return { id, path, event };
}

describe("GET /api/events/by-id/{id}", () => {
  test("finds an event by each of its ids", async () => {
    const name = newName();
    const publicId = `smi:org.example/event/${name}`;
    const { id, event } = await catalogueOf({
      events: [seismicEvent({ id: name, public_id: publicId })],
    });
    const found = { catalogue_id: id, event_id: event.id, version: 1, removed: false };
    for (const [asked, by] of [
      [event.id, "id"],
      [event.id.toUpperCase(), "id"],
      [event.id.replaceAll("-", ""), "id"],
      [name, "source_id"],
      [publicId, "public_id"],
    ] as const) {
      const { status, body } = await byId(viewer, asked);
      expect(status, asked).toBe(200);
      expect(body).toEqual({ events: [{ ...found, by }], truncated: false });
    }
  });

  test("finds what another id names now, and what was removed with the last version that has it", async () => {
    const [name, next] = [newName(), newName()];
    const { id, path, event } = await catalogueOf({ events: [seismicEvent({ id: name })] });
    await editor.send("PATCH", `${path}/events/${event.id}`, { source_id: next });
    const found = { catalogue_id: id, event_id: event.id };
    expect((await byId(viewer, name)).body.events).toEqual([
      { ...found, by: "former", version: 2, removed: false },
    ]);
    await editor.send("DELETE", `${path}/events/${event.id}`);
    for (const [asked, by] of [
      [name, "former"],
      [next, "source_id"],
      [event.id, "id"],
    ] as const) {
      expect((await byId(viewer, asked)).body.events).toEqual([
        { ...found, by, version: 2, removed: true },
      ]);
    }
  });

  test("finds the events of several catalogues, and none of a deleted one", async () => {
    const name = newName();
    const events = [seismicEvent({ id: name })];
    const [older, newer] = [await catalogueOf({ events }), await catalogueOf({ events })];
    const ids = async () =>
      (await byId(viewer, name)).body.events.map(({ catalogue_id }) => catalogue_id);
    expect(await ids()).toEqual([newer.id, older.id]);
    await editor.send("DELETE", newer.path);
    expect(await ids()).toEqual([older.id]);
  });

  test("shows guests the versions of public catalogues that they may read", async () => {
    const [name, next] = [newName(), newName()];
    const { path, event } = await catalogueOf({ events: [seismicEvent({ id: name })] });
    expectRefusal(await byId(guest, name), "NOT_FOUND");
    expectRefusal(await byId(guest, event.id), "NOT_FOUND");
    await editor.send("PATCH", `${path}/events/${event.id}`, { source_id: next });
    await editor.send("PATCH", path, { is_public: true });
    expect((await byId(guest, next)).body.events).toMatchObject([{ by: "source_id", version: 2 }]);
    expectRefusal(await byId(guest, name), "NOT_FOUND");
    expect((await byId(viewer, name)).body.events).toMatchObject([{ by: "former" }]);
  });

  test("knows nothing of restricted catalogues to those who are no members", async () => {
    const name = newName();
    const { event } = await catalogueOf({
      access: "restricted",
      events: [seismicEvent({ id: name })],
    });
    for (const asked of [name, event.id]) {
      const stranger = expectRefusal(await byId(viewer, asked), "NOT_FOUND");
      expect(stranger).toEqual((await byId(viewer, newName())).body);
      expectRefusal(await byId(guest, asked), "NOT_FOUND");
      expect((await byId(editor, asked)).body.events).toHaveLength(1);
    }
  });

  test.each(["%00", "%20", "é", "a".repeat(900), "a,b", "..%2F..", "' or true --"])(
    "finds nothing by %s",
    async (asked) => {
      expectRefusal(await viewer.get(`/api/events/by-id/${asked}`), "NOT_FOUND");
    },
  );

  test("takes no parameters", async () => {
    const answer = await viewer.get("/api/events/by-id/a?asOf=1");
    expectRefusal(answer, "VALIDATION_ERROR", "asOf");
  });

  test("finds a merged event by the ids of its members", async () => {
    const [chosen, other] = [newName(), newName()];
    const stations = { used_station_count: 50 };
    const best = await catalogueOf({ events: [seismicEvent({ id: chosen, ...stations })] });
    const worse = await catalogueOf({ events: [seismicEvent({ id: other })] });
    const { catalogueId } = await merge(editor, [
      { id: worse.id, source: "worse" },
      { id: best.id, source: "best" },
    ]);
    const summary = async (id: string) =>
      (await byId(viewer, id)).body.events.map((found) => [found.catalogue_id, found.by]);
    expect(await summary(chosen)).toEqual([
      [catalogueId, "source_id"],
      [best.id, "source_id"],
    ]);
    expect(await summary(other)).toEqual([
      [worse.id, "source_id"],
      [catalogueId, "member"],
    ]);
    expect(await summary(worse.event.id)).toEqual([
      [worse.id, "id"],
      [catalogueId, "member"],
    ]);
    await editor.send("DELETE", worse.path);
    expectRefusal(await byId(viewer, other), "NOT_FOUND");
    expect(await summary(worse.event.id)).toEqual([[catalogueId, "member"]]);
    const merged = await editor.get<{ events: SeismicEvent[] }>(
      `/api/catalogues/${catalogueId}/events`,
    );
    const [event] = merged.body.events;
    await editor.send("DELETE", `/api/catalogues/${catalogueId}/events/${event?.id}`);
    expect((await byId(viewer, worse.event.id)).body.events).toEqual([
      { catalogue_id: catalogueId, event_id: event?.id, by: "member", version: 1, removed: true },
    ]);
  });

  test("tells nobody of members from sources that he may not read", async () => {
    const [open, hidden] = [newName(), newName()];
    const events = (id: string) => ({ events: [seismicEvent({ id })] });
    const known = await catalogueOf(events(open));
    const secret = await catalogueOf({ ...events(hidden), access: "restricted" });
    const { catalogueId } = await merge(editor, [
      { id: known.id, source: "known" },
      { id: secret.id, source: "secret" },
    ]);
    await editor.send("PATCH", `/api/catalogues/${catalogueId}`, { access: "internal" });
    const ids = async (client: ApiClient, id: string) =>
      (await byId(client, id)).body.events?.map((found) => found.catalogue_id);
    expect(await ids(editor, secret.event.id)).toEqual([secret.id, catalogueId]);
    expectRefusal(await byId(viewer, secret.event.id), "NOT_FOUND");
    expectRefusal(await byId(viewer, hidden), "NOT_FOUND");
    expect(await ids(viewer, known.event.id)).toEqual([known.id, catalogueId]);
  });
});
