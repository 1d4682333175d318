import { expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { type FeedClient, followEvents, followSocket } from "../../support/feed-client.ts";
import { useService } from "../../support/service.ts";
import { startTestService } from "../../support/start-test-service.ts";

const service = useService({ FEED_STREAMS: "2", TRUST_PROXY: "true" });
const copy = useService({}, { copyOf: service });
const editor = service.client("editor");
async function publicCatalogue(): Promise<string> {
  const { id } = await createCatalogue(editor, { is_public: true });
  return `/api/catalogues/${id}`;
}

/** The places of closed streams are free a moment later. */
async function untilOpened(open: () => Promise<FeedClient>): Promise<FeedClient> {
  for (;;) {
    const client = await open().catch(() => null);
    if (client !== null) return client;
  }
}

const ids = async (client: FeedClient, count: number) =>
  (await client.take(count)).map(({ id }) => id);

test("a feed of one gateway follows what others write, and goes on at any of them", async () => {
  const path = await publicCatalogue();
  const elsewhere = await followEvents(`${copy.url}${path}/feed`);
  await editor.send("POST", `${path}/events`, { events: [seismicEvent(), seismicEvent()] });
  expect(await ids(elsewhere, 2)).toEqual(["2.1", "2.2"]);
  elsewhere.close();
  const here = await followEvents(`${service.url}${path}/feed`, { "last-event-id": "2.1" });
  expect(await ids(here, 1)).toEqual(["2.2"]);
  here.close();
});

test("a stop ends all feeds, WebSockets with 1001", async () => {
  const path = await publicCatalogue();
  const other = await startTestService({
    DATABASE_URL: service.databaseUrl,
    ...service.log.variables,
  });
  const events = await followEvents(`${other.url}${path}/feed`);
  const socket = await followSocket(`${other.url}${path}/feed/websocket`);
  const ends = Promise.all([events.ended(), socket.ended()]);
  await other.stop();
  expect(await ends).toEqual([null, 1001]);
});

test("more streams than a process may keep open are refused until one is closed", async () => {
  const path = await publicCatalogue();
  const url = `${service.url}${path}/feed`;
  const [first, second] = [await followEvents(url), await followSocket(`${url}/websocket`)];
  const refused = await editor.get(`${path}/feed`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
  first.close();
  for (const client of [second, await untilOpened(() => followEvents(url))]) client.close();
});

test("one address that holds all streams gives up its oldest for those of other addresses", async () => {
  const path = await publicCatalogue();
  const url = `${service.url}${path}/feed`;
  const opened = () => untilOpened(() => followSocket(`${url}/websocket`));
  const [oldest, second] = [await opened(), await opened()];
  const other = await followEvents(url, { "x-forwarded-for": "192.0.2.7" });
  expect(await oldest.ended()).toBe(1013);
  await editor.send("POST", `${path}/events`, { events: [seismicEvent()] });
  expect([await ids(second, 1), await ids(other, 1)]).toEqual([["2.1"], ["2.1"]]);
  const third = await followEvents(url, { "x-forwarded-for": "192.0.2.8" }).catch(String);
  expect(third).toContain("Too many streams are open");
  for (const client of [second, other]) client.close();
});
