/** Rules by which people are told of events: what they are, what is sent, and how its delivery fares. */

import { z } from "zod";
import { ALERT_KINDS, AlertKind, AlertSettings, RevisedBy } from "../events/alerts.ts";
import { BodyFilters, nextCursor, ordered, queryLimit, queryTime } from "../query/parameters.ts";
import { isShownLine, NOT_SHOWN } from "../text.ts";
import { NotificationStatus } from "./following.ts";
import { EXAMPLE, Id, operation, Success } from "./operation.ts";

export const ALERT_LIMITS = {
  /** In characters. */
  name: 100,
  url: 2_000,
  catalogues: 20,
  /** Rules of one account, and of all. */
  ofUser: 20,
  ofAll: 10_000,
  /** Days for which deliveries are kept. */
  keptDays: 30,
  /** Links of confirmation that one account is sent in a day. */
  confirmationsADay: 20,
  /** Parked in a row, after which a rule pauses. */
  parked: 100,
} as const;

/** Of a preview: changes that are looked at, messages that are shown, days where nothing is said. */
export const PREVIEW_LIMITS = { changes: 1_000_000, messages: 100, days: 30 } as const;

/** Base64 of 24 to 64 bytes. */
const SECRET =
  /^whsec_(?!.{86}[^=])(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const secret = z
  .string()
  .regex(SECRET, "must be whsec_ and base64 of 24 to 64 bytes")
  .describe("signs what is sent: whsec_ and base64 of 24 to 64 bytes; made where none is given");

const url = z
  .string()
  .max(ALERT_LIMITS.url)
  .refine(
    (text) => isShownLine(text) && /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
    "must be an address of http or https",
  );

/** Lists of a filter that are stored: members, and the characters of each. */
const STORED_LIST = { members: 100, characters: 100 };

/** Filters that are stored and shown to people; a polygon is bounded by its vertices. */
const StoredFilters = BodyFilters.superRefine((filters, { addIssue }) => {
  for (const [name, value] of Object.entries(filters)) {
    if (!Array.isArray(value)) continue;
    const isShown = (text: string) => text.length <= STORED_LIST.characters && isShownLine(text);
    if (value.length <= STORED_LIST.members && value.every(isShown)) continue;
    const message = `is too long, or ${NOT_SHOWN}`;
    addIssue({ code: "custom", path: [name], message });
  }
});

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

const members = {
  name: z.string().describe(`one line of at most ${ALERT_LIMITS.name} characters`),
  catalogues: z.array(Id).min(1).max(ALERT_LIMITS.catalogues).transform(unique),
  filter: StoredFilters.describe("the events that are told of; absent: all"),
  on: z.array(AlertKind).min(1).max(ALERT_KINDS.length).transform(unique),
  revisedBy: RevisedBy.nullable().describe(
    "what a revision has to change: one member that is reached suffices; null: any change",
  ),
  maxAgeHours: z
    .int()
    .min(1)
    .max(8_760)
    .describe("origin times earlier than so long before a version tell nothing new"),
  to: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("webhook"), url, secret: secret.optional() }),
    z.object({ kind: z.literal("mail") }).describe("the account's own address, once confirmed"),
  ]),
  format: AlertSettings.shape.format.describe("cap: CAP 1.2, by webhook alone"),
  perHour: z.int().min(1).max(1_000).describe("messages in a clock hour; the rest is one digest"),
  active: z.boolean(),
};

export const AlertBody = z.object({
  ...members,
  filter: members.filter.default({}),
  on: members.on.default([...ALERT_KINDS]),
  revisedBy: members.revisedBy.default(null),
  maxAgeHours: members.maxAgeHours.default(24),
  format: members.format.default("json"),
  perHour: members.perHour.default(60),
  active: members.active.default(true),
});
export type AlertBody = z.output<typeof AlertBody>;

export const AlertChange = z.object(members).partial();
export type AlertChange = z.output<typeof AlertChange>;

export const AlertState = z.enum(["active", "unconfirmed", "paused", "failing"]);

export const Alert = z
  .object({
    id: z.uuid(),
    user_id: z.string(),
    name: z.string(),
    ...AlertSettings.shape,
    to: z.object({
      kind: AlertSettings.shape.to,
      origin: z.string().optional().describe("of the webhook's address, which is not shown whole"),
    }),
    state: AlertState,
    error: z.string().nullable().describe("why the service paused it; null where it did not"),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Alert" });
export type Alert = z.infer<typeof Alert>;

const MESSAGE_TYPES = [
  "earthquake.new",
  "earthquake.revised",
  "earthquake.withdrawn",
  "digest",
  "test",
] as const;
export const MessageType = z.enum(MESSAGE_TYPES);
export type MessageType = z.infer<typeof MessageType>;

const values = z.object({
  time: z.string(),
  longitude: z.number(),
  latitude: z.number(),
  depth: z.number().nullable(),
  magnitude: z.number().nullable(),
  magnitude_type: z.string().nullable(),
  evaluation_status: z.string().nullable(),
});

/** Of an event: the body of what is sent; mails say the same in words. */
const EventMessage = z
  .object({
    id: z.string().describe("the same at every try"),
    type: MessageType,
    timestamp: z.string(),
    alert: z.object({ id: z.string(), name: z.string() }),
    catalogue: z.object({ id: z.uuid(), name: z.string(), version: z.int() }),
    event: z.looseObject({ type: z.literal("Feature") }).describe("as in the feed"),
    previous: values.optional().describe("what was told before"),
    changes: z
      .object({
        magnitude: z.number().nullable(),
        distanceKm: z.number(),
        depthKm: z.number().nullable(),
        seconds: z.number(),
        type: z.literal(true),
        status: z.literal(true),
      })
      .partial()
      .optional()
      .describe("each now less then, but the distance; null of a number that appeared or went"),
    links: z.object({ event: z.string(), console: z.string() }),
  })
  .meta({ id: "AlertMessage" });
export type AlertMessage = z.infer<typeof EventMessage>;

export const AlertDelivery = z
  .object({
    id: z.uuid().describe("webhook-id"),
    type: MessageType,
    event_id: z.uuid().nullable(),
    catalogue_id: z.uuid().nullable(),
    version: z.int().nullable(),
    status: NotificationStatus,
    attempts: z.int(),
    created_at: z.string(),
    delivered_at: z.string().nullable(),
    response: z
      .union([z.int(), z.string()])
      .nullable()
      .describe("the status of the last answer, or why there was none"),
  })
  .meta({ id: "AlertDelivery" });
export type AlertDelivery = z.infer<typeof AlertDelivery>;

const example = {
  name: "M 5 and above near New Zealand",
  catalogues: [EXAMPLE.catalogue],
  filter: { minMagnitude: 5, latitude: -41, longitude: 174, maxRadiusKm: 500 },
  revisedBy: { magnitude: 0.3, distanceKm: 20 },
  to: { kind: "webhook", url: "https://example.org/earthquakes" },
};

const oneAlert = z.object({ alert: Alert });
const withSecret = z.object({
  alert: Alert,
  secret: z.string().optional().describe("of a webhook, this once"),
});

export const createAlert = operation("POST", "/api/alerts", {
  summary: "Be told of what is new, revised or withdrawn in catalogues, by webhook or by mail",
  access: "signed-in",
  scope: "session",
  names: { "body.catalogues": "read" },
  body: AlertBody,
  example,
  status: 201,
  answer: withSecret,
  errors: ["MISSING_NAME", "NOT_FOUND", "CONFLICT"],
});

export const listAlerts = operation("GET", "/api/alerts", {
  summary: "Your alerts, newest first",
  access: "signed-in",
  query: z.strictObject({
    user: z.string().optional().describe("id of another user, for administrators"),
  }),
  answer: z.object({ alerts: z.array(Alert) }),
  errors: ["FORBIDDEN", "NOT_FOUND"],
});

export const confirmAlert = operation("GET", "/api/alerts/confirm", {
  summary: "Confirm that the address of an account is to have the mails of an alert",
  access: "public",
  rate: "auth",
  query: z.strictObject({ token: z.string().max(500).describe("of the link in the mail") }),
  answer: z.object({ message: z.string() }),
  errors: ["NOT_FOUND"],
});

export const getAlert = operation("GET", "/api/alerts/:id", {
  summary: "One of your alerts, and how it stands",
  access: "signed-in",
  answer: oneAlert,
});

export const updateAlert = operation("PATCH", "/api/alerts/:id", {
  summary: "Change an alert, pause it or let it go on",
  access: "signed-in",
  scope: "session",
  names: { "body.catalogues": "read" },
  body: AlertChange,
  example: { active: false },
  answer: withSecret,
  errors: ["MISSING_NAME", "CONFLICT"],
});

export const deleteAlert = operation("DELETE", "/api/alerts/:id", {
  summary: "Delete an alert; what waits to be sent is not sent any more",
  access: "signed-in",
  scope: "session",
  answer: Success,
});

export const listAlertDeliveries = operation("GET", "/api/alerts/:id/deliveries", {
  summary: `What an alert has told in ${ALERT_LIMITS.keptDays} days and how its delivery stands, newest first`,
  access: "signed-in",
  query: z.strictObject({
    status: NotificationStatus.optional(),
    limit: queryLimit({ default: 100, max: 1_000 }, "deliveries in one answer").default(100),
    cursor: z.string().optional().describe("nextCursor of an earlier answer"),
  }),
  answer: z.object({ deliveries: z.array(AlertDelivery), nextCursor }),
  errors: ["INVALID_CURSOR"],
});

export const retryAlertDelivery = operation(
  "POST",
  "/api/alerts/:id/deliveries/:deliveryId/retry",
  {
    summary: "Send again what was parked",
    access: "signed-in",
    scope: "session",
    status: 202,
    answer: z.object({ delivery: AlertDelivery }),
    errors: ["CONFLICT"],
  },
);

export const testAlert = operation("POST", "/api/alerts/:id/test", {
  summary: "Send a message that is marked as a test, at once",
  access: "signed-in",
  scope: "session",
  status: 202,
  answer: z.object({ delivery: AlertDelivery }),
  errors: ["CONFLICT"],
});

export const previewAlert = operation("POST", "/api/alerts/preview", {
  summary: "What an alert would have told; nothing is sent",
  access: "signed-in",
  scope: "read",
  names: { "body.catalogues": "read" },
  query: z
    .strictObject({
      from: queryTime("versions not before; default 30 days ago").optional(),
      to: queryTime("versions not after; default now").optional(),
    })
    .superRefine(ordered([["from", "to"]])),
  body: AlertBody,
  example,
  answer: z.object({
    count: z.int(),
    byType: z.partialRecord(MessageType, z.int()),
    messages: z.array(EventMessage).describe(`the first ${PREVIEW_LIMITS.messages}`),
    truncated: z
      .boolean()
      .describe(`more than ${PREVIEW_LIMITS.changes} changes, or than could be looked at in time`),
  }),
  errors: ["NOT_FOUND"],
});
