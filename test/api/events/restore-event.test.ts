import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { EventChange } from "#contracts/http/events/single-event.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { keyed } from "../support/keyed.ts";
import { whileRevisionIsOpen } from "../support/open-revision.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

type Changed = { event: SeismicEvent; version: number };

/** The first of the events of a new catalogue, and the calls about it. */
async function oneEvent(...submitted: object[]) {
  const events = submitted.length > 0 ? submitted : [seismicEvent({ id: "a" })];
  const { id } = await createCatalogue(editor, { events });
  const { body } = await editor.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/events/filtered?orderBy=time-asc`,
  );
  const [listed] = body.events;
  const path = `/api/catalogues/${id}/events/${listed?.id}`;
  const read = async () => (await editor.get<Changed>(path)).body.event;
  return {
    id,
    path,
    event: await read(),
    read,
    change: (patch: object) => editor.send<Changed>("PATCH", path, patch),
    remove: () => editor.send<{ version: number }>("DELETE", path),
    restore: (version: unknown, headers?: Record<string, string>) =>
      editor.send<Changed>("POST", `${path}/restore`, { version }, headers),
    history: async () =>
      (await editor.get<{ history: EventChange[] }>(`${path}/history`)).body.history,
  };
}

describe("restoring one event", () => {
  test("makes it as it was, as a version of its own, and leaves the others alone", async () => {
    const { id, event, change, restore, read, history } = await oneEvent(
      seismicEvent({ id: "a", region: "Kaikōura", felt: 3 }),
      seismicEvent({ id: "b", time: "2016-11-14T00:00:00Z" }),
    );
    await change({ magnitude: 2, region: null, extra: null });
    await editor.send("POST", `/api/catalogues/${id}/events`, {
      events: [seismicEvent({ id: "b", magnitude: 1 })],
      updateExisting: true,
    });
    const answer = await restore(1);
    expect(answer).toMatchObject({ status: 200, body: { version: 4, event } });
    expect(answer.headers.get("etag")).toBe('"4"');
    expect(await read()).toEqual(event);
    const { body } = await editor.get<{ events: SeismicEvent[] }>(
      `/api/catalogues/${id}/events/filtered?maxMagnitude=1`,
    );
    expect(body.events.map(({ source_id }) => source_id)).toEqual(["b"]);
    expect((await history())[0]).toMatchObject({
      version: 4,
      change: "updated",
      cause: "edit",
      restores: 1,
    });
  });

  test("brings a removed one back under its id, and the bounds with it", async () => {
    const { id, event, remove, restore, read, history } = await oneEvent(
      seismicEvent({ id: "a", latitude: -47, longitude: 166, magnitude: 8 }),
      seismicEvent({ id: "b", time: "2016-11-14T00:00:00Z" }),
    );
    const catalogue = async () => (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;
    const { updated_at: _, version: __, ...before } = await catalogue();
    await remove();
    expect(await restore(1)).toMatchObject({ status: 200, body: { version: 3, event } });
    expect(await read()).toEqual(event);
    expect(await catalogue()).toMatchObject(before);
    expect((await history()).map(({ change }) => change)).toEqual(["added", "removed", "added"]);
  });

  test("where it is so already makes no version", async () => {
    const { change, restore, event } = await oneEvent();
    expect((await restore(1)).body).toEqual({ event, version: 1 });
    await change({ magnitude: 2 });
    await change({ magnitude: event.magnitude });
    expect((await restore(1)).body).toEqual({ event, version: 3 });
  });

  test("comes with the bulletin that it had, or without where it had none", async () => {
    const { path, remove, change, restore, event } = await oneEvent({ bulletin: smallBulletin() });
    const bulletin = async () =>
      (await editor.get<{ bulletin: Bulletin; source: string }>(`${path}/bulletin`)).body;
    const given = await bulletin();
    await change({ depth: 33 });
    await editor.send("DELETE", `${path}/bulletin`);
    expect((await restore(1)).body).toEqual({ event, version: 4 });
    expect((await bulletin()).bulletin).toEqual(given.bulletin);
    await remove();
    expect((await restore(4)).body).toEqual({ event, version: 6 });
    expect((await bulletin()).bulletin).toEqual(given.bulletin);
    expect((await restore(3)).body.event).toMatchObject({ depth: 33 });
    expect((await bulletin()).source).toBe("row");
    expect((await restore(2)).body.version).toBe(8);
    expect((await bulletin()).bulletin.origin?.at(-1)?.depth?.value).toBe(33_000);
  });
});

describe("restoring one event is refused", () => {
  test("from a version that there is not, or that does not have it", async () => {
    const { id, path, remove, restore } = await oneEvent();
    await remove();
    for (const version of [2, 3, 2 ** 40]) expectRefusal(await restore(version), "NOT_FOUND");
    for (const version of [0, -1, 1.5, "1", null])
      expectRefusal(await restore(version), "VALIDATION_ERROR", "version");
    expectRefusal(await editor.send("POST", `${path}/restore`), "INVALID_JSON");
    const unknown = `/api/catalogues/${id}/events/${randomUUID()}/restore`;
    expectRefusal(await editor.send("POST", unknown, { version: 1 }), "NOT_FOUND");
    const elsewhere = path.replace(id, randomUUID());
    expectRefusal(await editor.send("POST", `${elsewhere}/restore`, { version: 1 }), "NOT_FOUND");
  });

  test("while another event has its id", async () => {
    const { id, remove, restore } = await oneEvent();
    await remove();
    await editor.send("POST", `/api/catalogues/${id}/events`, {
      events: [seismicEvent({ id: "a" })],
    });
    expectRefusal(await restore(1), "CONFLICT", "source_id");
  });

  test("while another revision is open, and where the catalogue is no longer as the caller knows it", async () => {
    const { id, change, restore } = await oneEvent();
    await change({ magnitude: 2 });
    await whileRevisionIsOpen(service, id, async () => {
      expectRefusal(await restore(1), "CONFLICT");
    });
    expectRefusal(await restore(1, { "if-match": '"1"' }), "PRECONDITION_FAILED");
    expect((await restore(1, { "if-match": '"2"' })).status).toBe(200);
  });

  test("a second time by the same key: the first answer is repeated", async () => {
    const { change, restore } = await oneEvent();
    await change({ magnitude: 2 });
    const key = keyed();
    const first = await restore(1, key);
    await change({ magnitude: 3 });
    expect(await restore(1, key)).toMatchObject({ status: 200, body: first.body });
    expectRefusal(await restore(2, key), "CONFLICT");
  });
});
