import { beforeAll, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { followEvents } from "../../support/feed-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";

const service = sharedService();
let editor: ApiClient;
let guest: ApiClient;
/** A word that stands in the bulletin alone. */
const SECRET = "smi:test.local/hidden/origin/2";

beforeAll(async () => {
  editor = await service.loginAs("editor");
  guest = createApiClient(service.url);
});

/** The addresses that show a bulletin or something of it, below a catalogue. */
function addressesOf(eventId: string): string[] {
  return [
    "events/filtered?include=bulletin",
    "events?include=bulletin",
    `events/${eventId}?include=bulletin`,
    `events/${eventId}/bulletin`,
    `events/${eventId}/arrivals`,
    `events/${eventId}/history`,
    "export?format=json&include=bulletin",
    "export?format=quakeml",
    "export?format=isf",
    "export?format=csv&table=picks",
    "export?format=parquet&table=arrivals",
    "export?format=arrow&table=origins",
    "versions/1/diff?from=0",
    "fdsnws/event/1/query?includeall=true",
    "fdsnws/event/1/query?format=isf",
    "fdsnws/event/1/query?format=sc3ml",
    `feed/v1.0/detail/${eventId}.geojson`,
  ];
}

async function created(isPublic: boolean) {
  const { id } = await createCatalogue(editor, {
    events: [{ bulletin: smallBulletin("hidden") }],
    is_public: isPublic,
  });
  const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  return { path: `/api/catalogues/${id}`, eventId: body.events[0]?.id ?? "" };
}

test("guests see nothing of the bulletins of a catalogue that is not public, and what is shown of a public one", async () => {
  const hidden = await created(false);
  for (const address of addressesOf(hidden.eventId)) {
    const { status, body } = await guest.get(`${hidden.path}/${address}`);
    expect([address, [401, 404].includes(status)]).toEqual([address, true]);
    expect(JSON.stringify(body)).not.toContain("test.local");
  }
  const open = await created(true);
  for (const address of addressesOf(open.eventId)) {
    // Files are exported for those who have signed in.
    const expected = address.startsWith("export") ? 401 : 200;
    const { status } = await guest.get(`${open.path}/${address}`);
    expect([address, status]).toEqual([address, expected]);
  }
  const { body } = await guest.get(`${open.path}/events/${open.eventId}/bulletin`);
  expect(JSON.stringify(body)).toContain(SECRET);
});

test("a share shows the bulletins of its catalogue until it is taken back", async () => {
  const { path, eventId } = await created(false);
  const { body } = await editor.send<{ share: { id: string; url: string } }>(
    "POST",
    `${path}/shares`,
    {},
  );
  const below = new URL(body.share.url).pathname;
  const addresses = [
    "fdsnws/event/1/query?includeall=true",
    "events/filtered?include=bulletin",
    "events?include=bulletin",
    `events/${eventId}?include=bulletin`,
    `events/${eventId}/bulletin`,
    "export?format=quakeml",
    "export?format=csv&table=origins",
  ].map((address) => `${below}/${address}`);
  const show = async (status: number, isShown: boolean) => {
    for (const address of addresses) {
      const answer = await guest.stream(address);
      const text = await answer.text();
      expect([address, answer.status, text.includes(SECRET)]).toEqual([address, status, isShown]);
    }
  };
  await show(200, true);
  expect((await guest.get(`${below}/events/${eventId}/history`)).status).toBe(404);
  expect((await editor.send("DELETE", `${path}/shares/${body.share.id}`)).status).toBeLessThan(300);
  await show(404, false);
});

test("OGC, feeds of events and Parquet show of a bulletin what the row shows, and nothing of a hidden catalogue", async () => {
  const { path: hidden } = await created(false);
  const { path: open } = await created(true);
  for (const [path, statuses] of [
    [hidden, [401, 404]],
    [open, [200]],
  ] as const) {
    const items = path.replace("/api/catalogues", "/api/ogc/collections");
    for (const address of [`${items}/items`, `${path}/feed/v1.0/summary/all_month.geojson`]) {
      const answer = await guest.stream(address);
      expect(statuses, address).toContain(answer.status);
      expect(await answer.text()).not.toContain(SECRET);
    }
  }
  const parquet = await (await editor.stream(`${open}/export?format=parquet`)).text();
  expect(parquet).not.toContain(SECRET);
});

test("a feed tells of an update when the bulletin alone changed, and of nothing to who may not read it", async () => {
  const { path, eventId } = await created(true);
  const [pick, ...picks] = smallBulletin("hidden").pick ?? [];
  const moved = { ...pick, time: { value: "2024-05-06T07:08:11.75Z" } };
  const bulletin = { ...smallBulletin("hidden"), pick: [moved, ...picks] };
  const event = `${path}/events/${eventId}`;
  const row = async () => (await editor.get<{ event: SeismicEvent }>(event)).body.event;
  const before = await row();
  expect((await editor.send("PUT", `${event}/bulletin`, { bulletin })).status).toBe(200);
  const { bulletin_sha256: sha256, ...after } = await row();
  expect(sha256).not.toBe(before.bulletin_sha256);
  expect(before).toMatchObject(after);
  const client = await followEvents(`${service.url}${path}/feed?after=1`);
  const [told] = await client.take(1);
  client.close();
  expect(told).toMatchObject({ action: "update", data: { properties: { version: 2 } } });
  const hidden = await created(false);
  const refused = await guest.get(`${hidden.path}/feed?after=0`);
  expect([401, 404]).toContain(refused.status);
});

test("the history of a catalogue that is made public later shows guests no solutions from before", async () => {
  const { path, eventId } = await created(false);
  const patched = await editor.send("PATCH", `${path}/events/${eventId}`, { depth: 3.5 });
  expect(patched.status).toBe(200);
  const opened = await editor.send("PATCH", path, { is_public: true });
  expect(opened.status, JSON.stringify(opened.body)).toBe(200);
  const own = await editor.get(`${path}/events/${eventId}/history`);
  expect(JSON.stringify(own.body)).toContain('"solutions"');
  const { body } = await guest.get(`${path}/events/${eventId}/history`);
  expect(JSON.stringify(body)).not.toContain('"solutions"');
});
