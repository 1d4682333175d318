import { randomUUID } from "node:crypto";
import {
  type Address,
  addressesOf,
  catalogueActOf,
  type Operation,
} from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { MATRIX, type Subjects } from "../../../support/api/matrix.ts";
import type { Random } from "../../../support/random.ts";
import type { Deed } from "./model.ts";
import type { Sent } from "./send.ts";
import type { Catalogue, Share, World } from "./world.ts";

/**
 * A request of an operation at one of its addresses. Where it is allowed it leaves everything as it is:
 * what would be changed is not there, a body is none that the operation takes, a tag is another's.
 */
export type Ask = {
  readonly operation: Operation;
  readonly address: Address;
  readonly deed: Deed;
  readonly sent: Sent;
  /** The same of an id that nobody has, in place of the first catalogue's. */
  readonly twin: { readonly id: string; readonly sent: Sent };
};

/** Everything that can be asked for; sessions are not ended, for the accounts have no others. */
const POINTS: readonly (readonly [Operation, Address])[] = Object.values(operations)
  .filter(({ id }) => id !== "logout")
  .flatMap((one: Operation) => addressesOf(one).map((address) => [one, address] as const));

/** The specification's table of access, where it says more than that guests may read what is public. */
const SPECIFIED: Readonly<Record<string, Deed["level"]>> = {
  exportCatalogue: "viewer",
  createCatalogue: "editor",
  updateCatalogue: "editor",
  deleteCatalogue: "editor",
  importEvents: "editor",
  mergeCatalogues: "editor",
  upload: "editor",
  listUsers: "admin",
  getUser: "admin",
  updateUser: "admin",
  deleteUser: "admin",
  listRoleRequests: "admin",
  reviewRoleRequest: "admin",
  // Whose they are decides; guests have none.
  getOperation: "viewer",
  streamOperation: "viewer",
};

const OF_CATALOGUE = /^\/api\/(?:catalogues|ogc\/collections)\/:id/;

type Targets = {
  readonly catalogue: Catalogue | null;
  readonly other: Catalogue;
  readonly share: Share | null;
  readonly user: string;
  readonly group: string;
  readonly now: string;
};

export function randomAsk(world: World, random: Random): Ask {
  const [operation, address] = random.pick(POINTS);
  const catalogue = random.chance(0.05) ? null : random.pick(world.catalogues);
  const targets = {
    catalogue,
    other: random.pick(world.catalogues.filter((one) => one !== catalogue)),
    share: random.chance(0.05) ? null : random.pick(world.shares),
    user: random.pick(world.users).id,
    group: random.pick(world.groups).id,
    now: world.now,
  };
  const unknown = randomUUID();
  const id = targets.catalogue?.id ?? randomUUID();
  const sent = sentOf(operation, address, targets, id);
  // Where naming one is left to the caller, the matrix names none.
  const isNamed = operation.id === BY_EVENT || sent.path.includes(id) || sent.body?.includes(id);
  const deed = deedOf(operation, address, targets);
  return {
    operation,
    address,
    deed: isNamed ? deed : { ...deed, catalogues: [] },
    sent,
    twin: { id: unknown, sent: sentOf(operation, address, targets, unknown) },
  };
}

function deedOf(operation: Operation, address: Address, targets: Targets): Deed {
  const { id, method, errorsAs, rate } = operation;
  const { access, path } = address;
  const isGet = method === "GET";
  const level = SPECIFIED[id] ?? levelOf(access);
  return {
    level: path.startsWith("/api/share/") ? "public" : level,
    isGet,
    ...tokenOf(operation),
    makesCatalogue: operation.makesCatalogue === true,
    act: actOf(operation, address),
    catalogues: namedBy(operation, address, targets),
    asksFirst: errorsAs === "fdsn",
    ...(access === "share" && { share: targets.share }),
    isProbe: access === "public" && rate === "none",
  };
}

function levelOf(access: Address["access"]): Deed["level"] {
  if (access === "operators") return "local";
  if (access === "signed-in") return "viewer";
  return access === "readers" || access === "share" ? "public" : access;
}

/** They write nothing, although they are no GET. */
const READS: ReadonlySet<string> = new Set([
  "previewAlert",
  "previewMerge",
  "previewRefresh",
  "evaluateMerge",
  "findDuplicates",
]);

function tokenOf({ id, scope, needs }: Operation): Pick<Deed, "token"> {
  if (needs !== undefined) return { token: "any" };
  if (scope === "session") return { token: "never" };
  return READS.has(id) ? { token: "read" } : {};
}

/** It names a catalogue's event alone. */
const BY_EVENT = "getEventsById";

function actOf(operation: Operation, address: Address): Deed["act"] {
  if (operation.id === BY_EVENT) return "find";
  if (operation.id === "getCatalogue") return "see";
  if (address.path.startsWith("/api/ogc/")) return "open";
  const [named] = Object.values(operation.names ?? {});
  const act = catalogueActOf(operation, address) ?? named ?? "read";
  return act === "record" || act === "list" ? "read" : act;
}

/** Of the root of the event service these choose a catalogue by a parameter. */
const CHOOSING = new Set(["fdsnQuery", "fdsnCount"]);

function namedBy(
  { id, names = {} }: Operation,
  { path }: Address,
  { catalogue, other }: Targets,
): Deed["catalogues"] {
  if (id === BY_EVENT || OF_CATALOGUE.test(path)) return [catalogue];
  if (CHOOSING.has(id) && path.startsWith("/fdsnws/")) return [catalogue];
  const count = Object.keys(names).length;
  if (count === 0) return [];
  const isPair = count === 2 || "body.sourceCatalogues.id" in names;
  return isPair ? [catalogue, other] : [catalogue];
}

function sentOf(operation: Operation, address: Address, targets: Targets, id: string): Sent {
  const { method, upgrade } = operation;
  const subjects = subjectsOf(targets, id, method === "GET");
  const [, asked, body] = bodyAndQuery(operation, subjects, id);
  const query = queryOf(operation, address, asked, id);
  const sent = bodyOf(operation, body);
  return {
    method,
    path: pathOf(address, subjects, targets) + query,
    headers: {
      ...(operation.id === "deleteCatalogue" && { "if-match": '"of-another"' }),
      ...(upgrade && UPGRADE),
    },
    ...(sent !== undefined && { body: sent }),
  };
}

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.from("sixteen bytes ok").toString("base64"),
};

/** What is changed is not there. */
function subjectsOf(targets: Targets, id: string, isGet: boolean): Subjects {
  const some = randomUUID();
  return {
    catalogue: id,
    otherCatalogue: targets.other.id,
    event: isGet && targets.catalogue ? targets.catalogue.event : some,
    share: some,
    schedule: some,
    merge: id,
    decision: some,
    labels: some,
    user: isGet ? targets.user : "user_1_nobody",
    group: isGet ? targets.group : some,
    agency: some,
    region: some,
    roleRequest: some,
    email: "nobody@example.org",
    notification: some,
    accessToken: some,
    resetToken: some,
  };
}

function bodyAndQuery({ id }: Operation, subjects: Subjects, catalogue: string) {
  const request = MATRIX[id as keyof typeof MATRIX].request(subjects);
  if (id === "createSchedule") {
    // Of an agency that is not there, so that none is made.
    const asked = { catalogueId: catalogue, agency: "none", everyMinutes: 60, lookbackHours: 24 };
    return [request[0], request[1], asked] as const;
  }
  // The matrix asks for an import into no catalogue.
  if (id === "importEvents") return [request[0], request[1], { catalogueId: catalogue }] as const;
  return request;
}

function queryOf(operation: Operation, { path }: Address, asked: string, id: string): string {
  if (path.startsWith("/fdsnws/")) return CHOOSING.has(operation.id) ? `?catalog=${id}` : "";
  const start = asked.indexOf("?");
  return start < 0 ? "" : asked.slice(start);
}

/** A list is no body of any operation, so that nothing is made; those that name catalogues need theirs. */
function bodyOf({ method, body, names }: Operation, valid: unknown): string | undefined {
  if (method === "GET" || body === undefined) return undefined;
  const isNeeded = Object.keys(names ?? {}).some((name) => name.startsWith("body."));
  return isNeeded ? JSON.stringify(valid) : "[]";
}

function pathOf({ path }: Address, subjects: Subjects, { share, now }: Targets): string {
  const isCatalogues = OF_CATALOGUE.test(path);
  const values: Record<string, string> = {
    id: isCatalogues ? subjects.catalogue : otherId(path, subjects),
    version: "1",
    at: now,
    token: share?.secret ?? "A".repeat(43),
    eventId: share && path.startsWith("/api/share/") ? share.catalogue.event : subjects.event,
    format: path.includes("/analytics/") ? "svg" : "xml",
    kind: "origin",
    publicID: "none",
    memberId: randomUUID(),
    shareId: subjects.share,
    result: subjects.labels,
    decisionId: subjects.decision,
    pair: "none",
    year: "year=2016",
    folder: "overview",
    file: `${"0".repeat(64)}.parquet`,
    deliveryId: randomUUID(),
  };
  const event = values["eventId"] ?? "";
  const named = path.includes("/detail/") ? `${event}.geojson` : "all_day.geojson";
  return path.replaceAll(/:([a-zA-Z]+)/g, (_, name: string) => {
    const value = { ...values, name: named }[name];
    if (value === undefined) throw new Error(`nothing stands for :${name} of ${path}`);
    return value;
  });
}

function otherId(path: string, { user, group, share, event }: Subjects): string {
  if (path.startsWith("/api/events/by-id/")) return event;
  if (path.startsWith("/api/users/")) return user;
  return path.startsWith("/api/groups/") ? group : share;
}
