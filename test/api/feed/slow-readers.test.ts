import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createFeedBlocks } from "#services/gateway/feed/blocks.ts";
import { createFeedTurns, type Feeds, openFeed } from "#services/gateway/feed/feeds.ts";
import { followChanges } from "#services/gateway/feed/follow.ts";
import { handlersOfFeeds } from "#services/gateway/feed/handlers.ts";
import {
  createFeedStreams,
  createStreamPlaces,
  FEED_TIMES,
  type FeedStream,
} from "#services/gateway/feed/streams.ts";
import type { HandlerDeps } from "#services/handler-deps.ts";
import { createVersionHistories } from "#services/versions/history.ts";
import { buildBareApp, INTERNAL_CATALOGUE } from "../../support/bare-app.ts";
import { followEvents, followSocket } from "../../support/feed-client.ts";
import { silentLogger } from "../../support/logger.ts";
import { recordHistory } from "../../support/recorded-history.ts";

/** More than the sockets of both sides take. */
const CHUNKS = 15;
const PER_CHUNK = 2_000;
const CHANGES = CHUNKS * PER_CHUNK;
/** A close frame with 1013 (RFC 6455, 5.5.1). */
const TRY_AGAIN_LATER = Buffer.from([0x88, 0x02, 0x03, 0xf5]);

let app: FastifyInstance;
let feeds: Feeds;
let opened: FeedStream;
let url = "";
let path = "";
let port = 0;

beforeAll(async () => {
  const record = emptyRecord({ time: "2016-11-13T11:02:56Z", latitude: 0, longitude: 0 });
  const chunk = Array.from({ length: PER_CHUNK }, () => ({
    kind: "add" as const,
    pick: 0,
    record: { ...record, region: "x".repeat(200) },
  }));
  const history = await recordHistory([Array.from({ length: CHUNKS }, () => chunk)]);
  const versionHistories = createVersionHistories(history.log);
  const blocks = createFeedBlocks({ log: history.log, readBefore: async () => new Map() });
  const turn = createFeedTurns();
  const streams = createFeedStreams({
    places: createStreamPlaces({ limit: 10 }),
    presentReaders: async ({ opened }) => new Set(opened),
    times: { ...FEED_TIMES, slowMs: 300, tickMs: 20 },
    logger: silentLogger(),
  });
  feeds = {
    open: (request) => openFeed(versionHistories, request),
    streams: {
      ...streams,
      open: (options, holder) => {
        opened = streams.open(options, holder);
        return opened;
      },
    },
    follow: (following, stream) =>
      followChanges({ versionHistories, blocks, turn }, following, stream),
  };
  app = await buildBareApp(
    {
      ...handlersOfFeeds({ feeds } as HandlerDeps),
    },
    {
      catalogueFacts: async () => ({ ...INTERNAL_CATALOGUE, isPublic: true, publicFrom: 0 }),
    },
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = app.server.address() as AddressInfo);
  path = `/api/catalogues/${history.catalogueId}/feed`;
  url = `http://127.0.0.1:${port}${path}`;
});

afterAll(async () => {
  feeds.streams.close();
  app.server.closeAllConnections();
  await app.close();
});

/** Asks, and takes nothing until it is read. */
async function stalled(target: string, more = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\n${more}\r\n`);
  await expect.poll(() => feeds.streams.size()).toBe(1);
  await expect.poll(() => opened.end(), { timeout: 20_000 }).toBe("slow");
  return socket;
}

/** All that had been sent to it. */
async function read(socket: Socket, isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
  const taken: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.on("close", resolve);
  socket.on("data", (bytes: Buffer) => {
    taken.push(bytes);
    if (isEnough(bytes)) resolve();
  });
  await promise;
  socket.destroy();
  return Buffer.concat(taken);
}

const numberOf = (id: string | undefined) => Number(id?.split(".")[1]);

test("a client of server-sent events that does not read is cut off, and goes on where it was", async () => {
  const socket = await stalled(`${path}?after=0`);
  const text = (await read(socket, () => false)).toString();
  // The last message may be cut in two.
  const last = [...text.matchAll(/^id: (\S+)\ndata: .*\n\n/gm)].at(-1)?.[1] ?? "0";
  const client = await followEvents(url, { "last-event-id": last });
  const rest = await client.take(CHANGES - (numberOf(last) || 0));
  expect(rest.at(0)?.id).toBe(`1.${(numberOf(last) || 0) + 1}`);
  expect(rest.at(-1)?.id).toBe(`1.${CHANGES}`);
  client.close();
});

test("a WebSocket's client that does not read is told to come back, and goes on where it was", async () => {
  const socket = await stalled(
    `${path}/websocket?after=0`,
    "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n" +
      `sec-websocket-key: ${Buffer.alloc(16).toString("base64")}\r\n`,
  );
  const bytes = await read(socket, (piece) => piece.subarray(-4).equals(TRY_AGAIN_LATER));
  expect(bytes.subarray(-4)).toEqual(TRY_AGAIN_LATER);
  const last = [...bytes.toString().matchAll(/"id":"(\d+\.\d+)"\}/g)].at(-1)?.[1] ?? "0";
  const client = await followSocket(`${url}/websocket?after=${last}`);
  const rest = await client.take(CHANGES - numberOf(last));
  expect(rest.at(0)?.id).toBe(`1.${numberOf(last) + 1}`);
  expect(rest.at(-1)?.id).toBe(`1.${CHANGES}`);
  client.close();
});
