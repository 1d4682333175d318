import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { seismicEvent } from "../../support/api/catalogue.ts";
import { oneEvent } from "../../support/api/one-event.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { followEvents } from "../../support/feed-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const guest = service.client("guest");
/** A word that stands in the bulletin alone. */
const SECRET = "smi:test.local/hidden/origin/2";
const BULLETIN = smallBulletin("hidden");

/** What shows rows, and opens no bulletin. */
const rowReads = (eventId: string) => [
  "",
  `/events/${eventId}`,
  "/events?page=1&pageSize=10",
  "/events?offset=0&limit=10&include=source_events",
  "/events?pagination=cursor&limit=1000",
  "/events/filtered?minMagnitude=4.5&orderBy=magnitude",
  "/events/filtered?has=arrivals,magnitudes&minOrigins=2",
  "/events/columns",
  "/export?format=csv",
  "/export?format=json",
  "/export?format=geojson",
  "/export?format=kml",
  "/export?format=text",
  "/export?format=quakeml&detail=summary",
  "/export?format=parquet",
  "/export?format=arrow",
  "/fdsnws/event/1/query?format=xml",
  "/fdsnws/event/1/query?format=geojson",
  "/fdsnws/event/1/query?format=text&minmagnitude=4",
  "/fdsnws/event/1/count",
  "/analytics/summary",
  "/analytics/rates",
  "/analytics/depths",
  "/feed/v1.0/summary/all_month.geojson",
  "/versions",
  "/versions/1",
];

/** What shows a bulletin or something of it. */
const bulletinReads = (eventId: string) => [
  "/events/filtered?include=bulletin",
  "/events?include=bulletin",
  `/events/${eventId}?include=bulletin`,
  `/events/${eventId}/bulletin`,
  `/events/${eventId}/arrivals`,
  `/events/${eventId}/history`,
  "/export?format=json&include=bulletin",
  "/export?format=quakeml",
  "/export?format=isf",
  "/export?format=csv&table=picks",
  "/export?format=parquet&table=arrivals",
  "/export?format=arrow&table=origins",
  "/versions/1/diff?from=0",
  "/fdsnws/event/1/query?includeall=true",
  "/fdsnws/event/1/query?format=isf",
  "/fdsnws/event/1/query?format=sc3ml",
  `/feed/v1.0/detail/${eventId}.geojson`,
];

/** Of each address below a catalogue the status, and whether the answer shows `SECRET`. */
async function answersOf(client: ApiClient, base: string, addresses: readonly string[]) {
  const answers: [string, number, boolean][] = [];
  for (const address of addresses) {
    const answer = await client.stream(`${base}${address}`, { "accept-encoding": "identity" });
    const text = await answer.text();
    expect(text.length, address).toBeGreaterThan(0);
    answers.push([address, answer.status, text.includes(SECRET)]);
  }
  return answers;
}

async function created(isPublic: boolean) {
  const one = await oneEvent(editor, { bulletin: BULLETIN });
  if (isPublic) await editor.send("PATCH", one.catalogue, { is_public: true });
  return one;
}

describe("guests", () => {
  test("see nothing of the bulletins of a catalogue that is not public, and what is shown of a public one", async () => {
    const hidden = await created(false);
    const ofHidden = bulletinReads(hidden.event.id);
    for (const [address, status, isShown] of await answersOf(guest, hidden.catalogue, ofHidden)) {
      expect([address, [401, 404].includes(status), isShown]).toEqual([address, true, false]);
    }
    const open = await created(true);
    await open.change({ depth: 12 });
    const ofOpen = bulletinReads(open.event.id);
    const statuses = (await answersOf(guest, open.catalogue, ofOpen)).map((one) => one.slice(0, 2));
    // Files are exported for those who have signed in.
    const expected = ofOpen.map((at) => [at, at.startsWith("/export") ? 401 : 200]);
    expect(statuses).toEqual(expected);
    expect(JSON.stringify((await guest.get(`${open.path}/bulletin`)).body)).toContain(SECRET);
  });

  test("see no solutions from before in the history of a catalogue that is made public later", async () => {
    const { catalogue, path, change } = await created(false);
    await change({ depth: 3.5 });
    await editor.send("PATCH", catalogue, { is_public: true });
    const historyOf = async (client: ApiClient) =>
      JSON.stringify((await client.get(`${path}/history`)).body);
    expect(await historyOf(editor)).toContain('"solutions"');
    expect(await historyOf(guest)).not.toContain('"solutions"');
  });

  test("see by a share the bulletins of its catalogue until it is taken back", async () => {
    const { catalogue, event } = await created(false);
    const { body } = await editor.send<{ share: { id: string; url: string } }>(
      "POST",
      `${catalogue}/shares`,
      {},
    );
    const below = new URL(body.share.url).pathname;
    const addresses = [
      "/fdsnws/event/1/query?includeall=true",
      "/events/filtered?include=bulletin",
      "/events?include=bulletin",
      `/events/${event.id}?include=bulletin`,
      `/events/${event.id}/bulletin`,
      "/export?format=quakeml",
      "/export?format=csv&table=origins",
    ];
    const shown = await answersOf(guest, below, addresses);
    expect(shown).toEqual(addresses.map((address) => [address, 200, true]));
    expect((await guest.get(`${below}/events/${event.id}/history`)).status).toBe(404);
    const removed = await editor.send("DELETE", `${catalogue}/shares/${body.share.id}`);
    expect(removed.status).toBeLessThan(300);
    const gone = await answersOf(guest, below, addresses);
    expect(gone).toEqual(addresses.map((address) => [address, 404, false]));
  });
});

test("a feed tells of an update when the bulletin alone changed, and of nothing to who may not read it", async () => {
  const { catalogue, event, read, send } = await created(true);
  const [pick, ...picks] = BULLETIN.pick ?? [];
  const moved = { ...pick, time: { value: "2024-05-06T07:08:11.75Z" } };
  await send("PUT", "/bulletin", { bulletin: { ...BULLETIN, pick: [moved, ...picks] } });
  const after = await read();
  expect(after.bulletin_sha256).not.toBe(event.bulletin_sha256);
  expect({ ...after, bulletin_sha256: event.bulletin_sha256 }).toEqual(event);
  const client = await followEvents(`${service.url}${catalogue}/feed?after=1`);
  const [told] = await client.take(1);
  client.close();
  expect(told).toMatchObject({ action: "update", data: { properties: { version: 2 } } });
  const hidden = await created(false);
  expect([401, 404]).toContain((await guest.get(`${hidden.catalogue}/feed?after=0`)).status);
});

test("what reads rows shows nothing of bulletins, and is answered while their tables are away", async () => {
  const { id, catalogue, event } = await oneEvent(
    editor,
    { bulletin: BULLETIN },
    { bulletin: smallBulletin("two") },
    seismicEvent({ time: "2025-01-01T00:00:00Z" }),
  );
  await editor.send("PATCH", catalogue, { is_public: true });
  const reads = rowReads(event.id);
  const renamed = async (from: string, to: string) => {
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    for (const table of ["bulletins", "bulletin_magnitudes"]) {
      await client.query(`alter table read_model.${from}${table} rename to ${to}${table}`);
    }
    await client.end();
  };
  const bulletin = `/events/${event.id}/bulletin`;
  await renamed("", "hidden_");
  try {
    const answers = await answersOf(editor, catalogue, reads);
    expect(answers).toEqual(reads.map((path) => [path, 200, false]));
    const items = await answersOf(editor, `/api/ogc/collections/${id}`, ["/items"]);
    expect(items).toEqual([["/items", 200, false]]);
    expect(await answersOf(editor, catalogue, [bulletin])).toEqual([[bulletin, 500, false]]);
  } finally {
    await renamed("hidden_", "");
  }
  expect(await answersOf(editor, catalogue, [bulletin])).toEqual([[bulletin, 200, true]]);
});
