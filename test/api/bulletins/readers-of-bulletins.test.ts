import { beforeAll, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
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
    "fdsnws/event/1/query?includeall=true",
    "fdsnws/event/1/query?format=isf",
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
  const { path } = await created(false);
  const { body } = await editor.send<{ share: { id: string; url: string } }>(
    "POST",
    `${path}/shares`,
    {},
  );
  const query = `${new URL(body.share.url).pathname}/fdsnws/event/1/query?includeall=true`;
  const shared = await guest.get<string>(query);
  expect([shared.status, shared.body.includes(SECRET)]).toEqual([200, true]);
  expect((await editor.send("DELETE", `${path}/shares/${body.share.id}`)).status).toBeLessThan(300);
  const after = await guest.get<string>(query);
  expect([after.status, JSON.stringify(after.body).includes(SECRET)]).toEqual([404, false]);
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
