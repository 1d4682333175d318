import type { WebSocket } from "@fastify/websocket";
import { Refusal } from "#contracts/errors.ts";
import type { FeedQuery, FeedsQuery } from "#contracts/http/following.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import {
  findNotification,
  listNotifications,
  retryNotification,
} from "#infra/brokers/notifications.ts";
import { shareHash } from "#projections/read/catalogues.ts";
import type { Actor, Answer, Call, Handlers, SocketAnswer } from "../../handler.ts";
import type { HandlerDeps } from "../../handler-deps.ts";
import { AS_EVENTS, AS_MESSAGES } from "./blocks.ts";
import type { FeedRequest, Feeds } from "./feeds.ts";
import { closeSocket, EVENTS_BEAT_MS, SOCKET_BEAT_MS, sendEvents, sendMessages } from "./follow.ts";
import type { Reader } from "./streams.ts";

export const handlersOfFeeds = ({ feeds, pool, now }: HandlerDeps) =>
  ({
    followCatalogue: async (call) => asEvents(feeds, ofOne(call), call),

    followCatalogueBySocket: async (call) => asMessages(feeds, ofOne(call), call),

    followCatalogues: async (call) => asEvents(feeds, ofSeveral(call), call),

    followCataloguesBySocket: async (call) => asMessages(feeds, ofSeveral(call), call),

    listNotifications: async ({ query }) => ({
      body: { notifications: [...(await listNotifications(pool, query))] },
    }),

    retryNotification: async ({ params }) => {
      const retried = await retryNotification(pool, params.id, now());
      const notification = await findNotification(pool, params.id);
      if (retried && notification) return { body: { notification } };
      if (!notification) throw new Refusal("NOT_FOUND", "Notification not found");
      throw new Refusal("CONFLICT", "Only a parked notification can be retried");
    },
  }) satisfies Partial<Handlers>;

type FeedCall = {
  readonly reader: Reader;
  readonly request: FeedRequest;
};

type OfOne = Pick<
  Call<Operations["followCatalogue"]>,
  "params" | "query" | "actor" | "reader" | "lastEventId"
>;

function ofOne({ params, query, actor, reader: who, lastEventId }: OfOne): FeedCall {
  const { id, token } = params;
  const reader = readerOf(actor, token);
  const request = { catalogueIds: [id], isJoint: false, query, lastEventId, reader: who };
  return { reader, request };
}

type OfSeveral = Pick<
  Call<Operations["followCatalogues"]>,
  "query" | "actor" | "reader" | "lastEventId"
>;

function ofSeveral({ query, actor, reader: who, lastEventId }: OfSeveral): FeedCall {
  const { catalogue, ...rest }: FeedsQuery = query;
  const feedQuery: FeedQuery = rest;
  const catalogueIds = [...new Set(catalogue)];
  const request = { catalogueIds, isJoint: true, query: feedQuery, lastEventId, reader: who };
  return { reader: readerOf(actor, undefined), request };
}

/** Below a share its secret counts, whoever has it. */
function readerOf(actor: Actor | null, secret: string | undefined): Reader {
  if (secret !== undefined) return { kind: "share", hash: shareHash(secret) };
  if (actor === null) return { kind: "guest" };
  return actor.token
    ? { kind: "token", tokenId: actor.token.id }
    : { kind: "session", sessionId: actor.sessionId };
}

async function asEvents(
  feeds: Feeds,
  { reader, request }: FeedCall,
  { scope, asker }: Pick<Call<Operations["followCatalogue"]>, "scope" | "asker">,
): Promise<Answer<Operations["followCatalogue"]>> {
  const following = { ...(await feeds.open(request)), form: AS_EVENTS };
  const { catalogueIds } = request;
  const id = following.idOf(following.positions);
  const stream = feeds.streams.open(
    { catalogueIds, reader, beatMs: EVENTS_BEAT_MS, cut: scope.cut },
    asker,
  );
  scope.own(stream.close);
  return {
    contentType: "text/event-stream",
    headers: { "x-accel-buffering": "no" },
    isEndless: true,
    open: () => sendEvents(feeds.follow(following, stream), stream, id),
  };
}

async function asMessages(
  feeds: Feeds,
  { reader, request }: FeedCall,
  {
    log,
    scope,
    asker,
  }: Pick<Call<Operations["followCatalogueBySocket"]>, "log" | "scope" | "asker">,
): Promise<SocketAnswer> {
  // Browsers send no Last-Event-ID with WebSockets; other clients may.
  const following = { ...(await feeds.open(request)), form: AS_MESSAGES };
  let connected: WebSocket | null = null;
  const stream = feeds.streams.open(
    {
      catalogueIds: request.catalogueIds,
      reader,
      beatMs: SOCKET_BEAT_MS,
      cut: (end) => (connected === null ? scope.cut() : closeSocket(connected, end)),
    },
    asker,
  );
  scope.own(stream.close);
  return {
    connect(socket) {
      connected = socket;
      void sendMessages(feeds.follow(following, stream), stream, socket, log);
    },
  };
}
