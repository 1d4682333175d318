import { z } from "zod";
import { filteredQuery, filterShape } from "../query/filter-parameters.ts";
import { queryList } from "../query/values.ts";
import { Id } from "./catalogue.ts";
import { operation, sharedAt } from "./operation.ts";

/** Most catalogues that one feed follows. */
export const MAX_FOLLOWED = 50;

const shape = {
  after: z
    .string()
    .optional()
    .describe(
      "id of the last message taken, or a version; 0 for everything; without it only what is to come",
    ),
  control: z
    .enum(["true", "false"])
    .optional()
    .describe("true: messages `ready` and `version` too"),
  ...filterShape,
};

export const FeedQuery = filteredQuery(shape);
export type FeedQuery = z.output<typeof FeedQuery>;

export const FeedsQuery = filteredQuery({
  catalogue: queryList("ids of the catalogues").refine(
    (ids) => ids.length <= MAX_FOLLOWED,
    `at most ${MAX_FOLLOWED} catalogues`,
  ),
  ...shape,
});
export type FeedsQuery = z.output<typeof FeedsQuery>;

/** `token` is the secret of a share. */
const FeedParams = z.object({ id: Id, token: z.string().optional() });

const MESSAGES =
  "messages {action: create|update|delete, data: Feature}, as EMSC's feed, with a filter also reason, before and now; each with the id to go on from";

const events = {
  status: 200,
  schema: z.string().describe(`server-sent events: ${MESSAGES}`),
  contentTypes: ["text/event-stream"],
} as const;

const socket = {
  status: 101,
  schema: z.string().describe(`a WebSocket: ${MESSAGES} as a member`),
  contentTypes: [],
} as const;

const ERRORS = ["VALIDATION_ERROR", "NOT_FOUND", "UNAVAILABLE"] as const;

export const followCatalogue = operation({
  method: "GET",
  path: "/api/catalogues/:id/feed",
  summary: "Every change of a catalogue's events, as server-sent events, from any point on",
  tag: "Feed",
  access: "readers",
  alsoAt: sharedAt("/feed"),
  rate: "clients",
  caching: "streamed",
  params: FeedParams,
  query: FeedQuery,
  success: events,
  errors: ERRORS,
});

export const followCatalogueBySocket = operation({
  method: "GET",
  path: "/api/catalogues/:id/feed/websocket",
  summary: "Every change of a catalogue's events, by WebSocket",
  tag: "Feed",
  access: "readers",
  alsoAt: sharedAt("/feed/websocket"),
  rate: "clients",
  upgrade: "websocket",
  params: FeedParams,
  query: FeedQuery,
  success: socket,
  errors: ERRORS,
});

export const followCatalogues = operation({
  method: "GET",
  path: "/api/feed",
  summary: "Every change of several catalogues' events, as server-sent events",
  tag: "Feed",
  access: "public",
  names: { "query.catalogue": "read" },
  rate: "clients",
  caching: "streamed",
  query: FeedsQuery,
  success: events,
  errors: [...ERRORS, "UNAUTHENTICATED"],
});

export const followCataloguesBySocket = operation({
  method: "GET",
  path: "/api/feed/websocket",
  summary: "Every change of several catalogues' events, by WebSocket",
  tag: "Feed",
  access: "public",
  names: { "query.catalogue": "read" },
  rate: "clients",
  upgrade: "websocket",
  query: FeedsQuery,
  success: socket,
  errors: [...ERRORS, "UNAUTHENTICATED"],
});
