import { afterAll, describe, expect, test } from "vitest";
import { newAccount } from "../../support/api/accounts.ts";
import { type CatalogueForm, createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { listEvents } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import {
  type FeedClient,
  type FeedMessage,
  followEvents,
  followSocket,
} from "../../support/feed-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
const open: FeedClient[] = [];
afterAll(() => {
  for (const client of open) client.close();
});

const WAYS = { events: "", messages: "/websocket" } as const;

/** Follows as a guest. */
async function follow(way: keyof typeof WAYS, path: string, query = ""): Promise<FeedClient> {
  const url = `${service.url}${path}/feed${WAYS[way]}${query}`;
  const client = await (way === "events" ? followEvents(url) : followSocket(url));
  open.push(client);
  return client;
}

type Scene = {
  readonly id: string;
  readonly path: string;
  /** The address of its event. */
  readonly event: string;
  readonly change: (magnitude: number) => Promise<void>;
  readonly remove: () => Promise<void>;
  readonly add: (...events: unknown[]) => Promise<void>;
};

/** A public catalogue with one event, which can be changed and removed. */
async function scene(form: CatalogueForm = {}): Promise<Scene> {
  const { id } = await createCatalogue(editor, { is_public: true, ...form });
  const path = `/api/catalogues/${id}`;
  const event = `${path}/events/${(await listEvents(editor, id))[0]?.id}`;
  return {
    id,
    path,
    event,
    change: async (magnitude) => void (await editor.send("PATCH", event, { magnitude })),
    remove: async () => void (await editor.send("DELETE", event)),
    add: async (...events) => void (await editor.send("POST", `${path}/events`, { events })),
  };
}

const told = ({ id, action, data }: FeedMessage) => [id, action, data?.properties?.["mag"] ?? null];

describe.concurrent.for(["events", "messages"] as const)("by %s", (way) => {
  test("creations, changes and removals come as they happen, as EMSC's messages", async () => {
    const { id, path, add, change, remove } = await scene({ name: "Followed" });
    const client = await follow(way, path);
    await add(seismicEvent({ id: "new", magnitude: 3, depth: 12.5, region: "Cook Strait" }));
    const [created] = await client.take(1);
    expect(created).toEqual({
      id: "2.1",
      action: "create",
      data: {
        type: "Feature",
        geometry: { type: "Point", coordinates: [173.02, -42.69, -12.5] },
        id: "new",
        properties: {
          source_id: "new",
          source_catalog: "Followed",
          lastupdate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          time: "2016-11-13T11:02:56.346Z",
          flynn_region: "Cook Strait",
          lat: -42.69,
          lon: 173.02,
          depth: 12.5,
          evtype: "uk",
          auth: "",
          mag: 3,
          magtype: null,
          unid: "new",
          event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          version: 2,
          catalogue: id,
        },
      },
    });
    await change(6);
    await remove();
    expect((await client.take(2)).map(told)).toEqual([
      ["3.1", "update", 6],
      ["4.1", "delete", 6],
    ]);
  });

  test("what was missed is replayed as it was live, from wherever one was", async () => {
    const { path, add, change, remove } = await scene();
    const live = await follow(way, path, "?after=0&control=true");
    await add(seismicEvent({ magnitude: 1 }), seismicEvent({ magnitude: 2 }));
    await change(5);
    await remove();
    const all = await live.take(10);
    expect(all.map(({ id, action }) => `${action} ${id}`)).toEqual([
      "ready 0",
      "create 1.1",
      "version 1.2",
      "create 2.1",
      "create 2.2",
      "version 2.3",
      "update 3.1",
      "version 3.2",
      "delete 4.1",
      "version 4.2",
    ]);
    for (const [i, { id }] of all.entries()) {
      if (i === all.length - 1) continue;
      const again = await follow(way, path, `?after=${id}&control=true`);
      const [ready, ...rest] = await again.take(all.length - i);
      expect(ready).toEqual({ id, action: "ready" });
      expect(rest).toEqual(all.slice(i + 1));
    }
    const counts = { version: 2, added: 2, updated: 0, removed: 0, event_count: 3 };
    expect(all[5]).toEqual({ id: "2.3", action: "version", data: counts });
    const afterThree = await follow(way, path, "?after=3");
    expect((await afterThree.take(1)).map(told)).toEqual([["4.1", "delete", 5]]);
  });

  test("a guest's feed begins with the publication, and ends with it", async () => {
    const { path, change } = await scene({ is_public: false });
    await change(5);
    await editor.send("PATCH", path, { is_public: true });
    await change(6);
    const client = await follow(way, path, "?after=0");
    const [first] = await client.take(1);
    expect(first?.data?.properties?.version).toBe(2);
    expect((await client.take(1)).map(told)).toEqual([["3.1", "update", 6]]);
    await editor.send("PATCH", path, { is_public: false });
    expect(await client.ended()).toBe(way === "events" ? null : 1008);
  });

  test("a share follows a private catalogue until it ends, and a feed ends with its catalogue", async () => {
    const { path, change } = await scene({ is_public: false });
    const { body } = await editor.send<{ share: { id: string; url: string } }>(
      "POST",
      `${path}/shares`,
      {},
    );
    const shared = new URL(body.share.url).pathname;
    const client = await follow(way, shared, "?after=0");
    await change(6);
    expect((await client.take(2)).map(told)).toEqual([
      ["1.1", "create", 7.8],
      ["2.1", "update", 6],
    ]);
    await editor.send("DELETE", `${path}/shares/${body.share.id}`);
    expect(await client.ended()).toBe(way === "events" ? null : 1008);
    const other = await scene();
    const following = await follow(way, other.path);
    await editor.send("DELETE", other.path);
    expect(await following.ended()).toBe(way === "events" ? null : 1008);
  });
});

describe.concurrent("whatever the way", () => {
  test("filters leave events that satisfy them: entering is a create, leaving a delete, with the reason and the event on its other side", async () => {
    const { path, add, change, remove } = await scene();
    const all = await follow("events", path, "?after=0");
    const client = await follow("events", path, "?after=0&minMagnitude=5");
    await change(4);
    await change(4.5);
    await change(5.5);
    await change(5.6);
    await add(seismicEvent({ magnitude: 4.9 }), seismicEvent({ magnitude: null }));
    await remove();
    await add(seismicEvent({ magnitude: 6 }));
    const messages = await client.take(6);
    const sides = messages.map(({ id, action, reason, data, before, now }) => {
      const [was, is] = action === "delete" ? [data, now] : [before, data];
      return [id, action, reason, was?.properties?.["mag"], is?.properties?.["mag"]];
    });
    expect(sides).toEqual([
      ["1.1", "create", "added", undefined, 7.8],
      ["2.1", "delete", "revised", 7.8, 4],
      ["4.1", "create", "revised", 4.5, 5.5],
      ["5.1", "update", undefined, undefined, 5.6],
      ["7.1", "delete", "removed", 5.6, undefined],
      ["8.1", "create", "added", undefined, 6],
    ]);
    // The other side is the Feature that is sent where nothing is filtered.
    const [, second, , fourth] = await all.take(4);
    expect(second).toMatchObject({ action: "update", data: messages[1]?.now });
    expect(fourth).toEqual({ id: "4.1", action: "update", data: messages[2]?.data });
  });

  test("filters by what an event has follow its bulletin: with it it enters, without it it leaves", async () => {
    const { path, change, event } = await scene();
    const has = await follow("events", path, "?after=0&has=comments,origins&minMagnitudes=1");
    const many = await follow("events", path, "?after=0&minOrigins=2");
    await change(4);
    await editor.send("POST", `${event}/comments`, { text: "felt" });
    await editor.send("PATCH", event, { depth: 7 });
    await editor.send("DELETE", `${event}/bulletin`);
    expect((await has.take(3)).map(told)).toEqual([
      ["3.1", "create", 4],
      ["4.1", "update", 4],
      ["5.1", "delete", 4],
    ]);
    expect((await many.take(2)).map(told)).toEqual([
      ["4.1", "create", 4],
      ["5.1", "delete", 4],
    ]);
  });

  test("several catalogues are one feed that resumes all", async () => {
    const [one, other] = [await scene(), await scene()];
    const several = `?catalogue=${one.id},${other.id}&control=true`;
    const live = await follow("events", "/api", several);
    const [ready] = await live.take(1);
    await one.change(5);
    const first = await live.take(2);
    await other.change(6);
    const second = await live.take(2);
    await one.remove();
    const third = await live.take(2);
    const all = [...first, ...second, ...third];
    expect(all.map(({ action, data }) => [action, data?.properties?.version])).toEqual([
      ["update", 2],
      ["version", undefined],
      ["update", 2],
      ["version", undefined],
      ["delete", 3],
      ["version", undefined],
    ]);
    expect(all[3]?.data).toMatchObject({ catalogue: other.id, version: 2 });
    for (const [from, { id }] of [ready as FeedMessage, ...all].entries()) {
      const again = await follow("events", "/api", `${several}&after=${id}`);
      const rest = (await again.take(all.length - from + 1)).slice(1);
      const byCatalogue = (messages: readonly FeedMessage[]) =>
        [one, other].map((of) =>
          messages
            .filter(({ data }) => (data?.properties?.catalogue ?? data?.["catalogue"]) === of.id)
            .map(({ action, data }) => [action, data]),
        );
      expect(byCatalogue(rest)).toEqual(byCatalogue(all.slice(from)));
    }
  });
});

test("server-sent events are not cached, compressed or held up, and say where to go on; Last-Event-ID precedes the address", async () => {
  const { path, change } = await scene();
  await change(5);
  const client = await followEvents(`${service.url}${path}/feed`, { "accept-encoding": "gzip" });
  open.push(client);
  expect(client.preamble).toBe("retry: 3000\nid: 2");
  expect(Object.fromEntries(client.headers)).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "access-control-allow-origin": "*",
  });
  expect(client.headers.has("content-encoding")).toBe(false);
  await change(6);
  const url = `${service.url}${path}/feed?after=0`;
  const again = await followEvents(url, { "last-event-id": "2.1" });
  open.push(again);
  expect((await again.take(1)).map(told)).toEqual([["3.1", "update", 6]]);
});

test.concurrent("a viewer follows a private catalogue until the session ends", async () => {
  const { path, change } = await scene({ is_public: false });
  const { token } = await (await newAccount(service, "viewer")).signIn();
  const client = await followEvents(`${service.url}${path}/feed`, { token });
  open.push(client);
  await change(6);
  expect((await client.take(1)).map(told)).toEqual([["2.1", "update", 6]]);
  await createApiClient(service.url, token).send("POST", "/api/auth/logout");
  expect(await client.ended()).toBeNull();
});

describe("a feed is refused", () => {
  test("with what is no place and no filter", async () => {
    const { id, path } = await scene();
    for (const query of [
      ...["after=-1", "after=x", "after=1.2.3", "after=2", "after=2.1", "after=", "control=yes"],
      ...["minMagnitude=x", "minLatitude=10&maxLatitude=0", "latitude=0", "limit=1"],
    ]) {
      expectRefusal(await guest.get(`${path}/feed?${query}`), "VALIDATION_ERROR");
      const several = await guest.get(`/api/feed?catalogue=${id}&${query}`);
      expectRefusal(several, "VALIDATION_ERROR");
    }
  });

  test("of what is not there or may not be read, as its events are", async () => {
    const unknown = "6f3c1d52-0000-4000-8000-000000000000";
    const { id } = await scene({ is_public: false });
    for (const way of ["", "/websocket"]) {
      expectRefusal(await guest.get(`/api/catalogues/${unknown}/feed${way}`), "NOT_FOUND");
      expectRefusal(await guest.get(`/api/catalogues/${id}/feed${way}`), "UNAUTHENTICATED");
    }
    expectRefusal(await guest.get(`/api/feed?catalogue=${unknown}`), "NOT_FOUND");
    expectRefusal(await guest.get("/api/feed?catalogue=x"), "NOT_FOUND");
    expectRefusal(await guest.get(`/api/feed?catalogue=${id}`), "UNAUTHENTICATED");
    expectRefusal(await guest.get("/api/feed"), "VALIDATION_ERROR");
  });

  test("as a socket at an address without one", async () => {
    const { path } = await scene();
    expectRefusal(await guest.get(`${path}/feed/websocket`), "VALIDATION_ERROR");
    await expect(followSocket(`${service.url}${path}/feed`)).rejects.toThrow("is no WebSocket");
    await expect(followSocket(`${service.url}${path}/feed/websocket?after=9`)).rejects.toThrow();
  });
});
