import { setTimeout as delay } from "node:timers/promises";
import { catalogueEvents } from "#contracts/events/catalogues.ts";
import type { WebhookBody } from "#contracts/events/notices.ts";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { Notification } from "#contracts/http/following.ts";
import type { ReadinessReport } from "#contracts/http/service.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import { type EventLog, eventsToHead, START } from "#infra/log/event-log.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { holds, verifyProjection } from "#projections/rebuild/rebuild.ts";
import { catalogueContent } from "#services/publisher/analytics.ts";
import { rawGet } from "../support/api/raw-request.ts";
import { type ApiClient, createApiClient, signIn } from "../support/api-client.ts";
import { clientsAt, openResources, spoolsAmong } from "../support/open-resources.ts";
import type { ServiceProcess } from "../support/service-process.ts";
import { eventLine, type Ledger, type LedgerCatalogue } from "./actions.ts";
import type { RecordedMessage } from "./clients.ts";
import type { World } from "./world.ts";

const POLL_MS = 250;
const DEADLINE_MS = 180_000;

/** What a gateway's readiness says when nothing is left to do. */
const AT_REST: Readonly<Record<string, RegExp>> = {
  projections: /^catalogues: up to date; users: up to date$/,
  notifications: /\b0 pending\b/,
  changes: /up to date$/,
  analytics: /up to date$/,
};

/** Waits until the service, left alone, has done all that it has to do. @returns what it has not */
export async function settle(world: World): Promise<string[]> {
  const deadline = Date.now() + DEADLINE_MS;
  while (true) {
    const open = await unfinished(world).catch((error: unknown) => [String(error)]);
    if (open.length === 0 || Date.now() > deadline) return open;
    await delay(POLL_MS);
  }
}

async function unfinished({ gateways }: World): Promise<string[]> {
  const found: string[] = [];
  for (const url of gateways()) {
    const client = createApiClient(url);
    const { body } = await client.get<ReadinessReport>("/api/ready");
    if (body.status !== "ready") found.push(`${url} is not ready`);
    for (const { name, message = "" } of body.checks) {
      if (AT_REST[name]?.test(message) === false) found.push(`${name}: ${message}`);
    }
    const { body: list } = await client.get<{ total?: number }>("/api/catalogues?pageSize=1");
    if (list === undefined) found.push("no list of catalogues");
  }
  if (found.length === 0 && gateways().length === 0) found.push("no gateway runs");
  return found;
}

/** Every account that was acknowledged can sign in. @returns what is wrong */
export async function checkAccounts(url: string, { accounts }: Ledger): Promise<string[]> {
  const losses: string[] = [];
  for (const [email, { password }] of accounts) {
    await signIn(url, { email, password }).catch((error: Error) =>
      losses.push(`${email} cannot sign in: ${error.message}`),
    );
  }
  return losses;
}

/**
 * Each reset and each role request that was acknowledged has come to the webhook, and the service
 * has none left over. @returns what is wrong
 */
export async function checkNotifications(
  client: ApiClient,
  { accounts, roleRequests }: Ledger,
  taken: readonly WebhookBody[],
): Promise<string[]> {
  const losses: string[] = [];
  const ids = (of: Partial<WebhookBody>): number =>
    new Set(
      taken
        .filter(({ to, type }) => type === of.type && (of.to === undefined || to === of.to))
        .map(({ id }) => id),
    ).size;
  for (const [email, { isReset }] of accounts) {
    const told = ids({ type: "password_reset", to: email });
    if (isReset && told === 0) losses.push(`${email} was not told of its reset`);
  }
  const told = ids({ type: "role_request_submitted" });
  if (told < roleRequests) losses.push(`${told} of ${roleRequests} role requests were told of`);
  for (const status of ["pending", "parked"] as const) {
    const path = `/api/notifications?status=${status}`;
    const { body } = await client.get<{ notifications: Notification[] }>(path);
    if (body.notifications.length > 0) {
      losses.push(`${body.notifications.length} notifications are ${status}`);
    }
  }
  return losses;
}

type Listed = { catalogues: Catalogue[] };
type Page = {
  events: { time: string; magnitude: number }[];
  pagination: { nextCursor: string | null };
};

/**
 * Every acknowledged catalogue is there as it was acknowledged, with exactly its events; none is
 * half made, none is there that nobody made, none that was deleted.
 * @returns what is wrong
 */
export async function checkCatalogues(client: ApiClient, ledger: Ledger): Promise<string[]> {
  const losses: string[] = [];
  const shown = new Map((await listAll(client)).map((catalogue) => [catalogue.id, catalogue]));
  for (const [id, { name, status }] of shown) {
    if (!ledger.catalogues.has(id)) losses.push(`catalogue ${name} (${status}) is nobody's: ${id}`);
  }
  for (const expected of ledger.catalogues.values()) {
    const catalogue = shown.get(expected.id);
    if (catalogue === undefined) losses.push(`catalogue ${expected.id} is lost`);
    else losses.push(...(await compare(client, expected, catalogue)));
  }
  for (const id of ledger.deleted) {
    const { status } = await client.get(`/api/catalogues/${id}`);
    if (status !== 404) losses.push(`deleted catalogue ${id} answers ${status}`);
  }
  return losses;
}

async function listAll(client: ApiClient): Promise<Catalogue[]> {
  const all: Catalogue[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await client.get<Listed>(`/api/catalogues?pageSize=100&page=${page}`);
    all.push(...body.catalogues);
    if (body.catalogues.length < 100) return all;
  }
}

async function compare(
  client: ApiClient,
  { id, name, isPublic, events }: LedgerCatalogue,
  shown: Catalogue,
): Promise<string[]> {
  const wrong: string[] = [];
  if (shown.status !== "active") wrong.push(`catalogue ${id} is ${shown.status}`);
  if (shown.name !== name) wrong.push(`catalogue ${id} is called ${shown.name}, not ${name}`);
  if (shown.is_public !== isPublic) wrong.push(`catalogue ${id} is public: ${shown.is_public}`);
  if (shown.event_count !== events.size) {
    wrong.push(`catalogue ${id} counts ${shown.event_count} events, not ${events.size}`);
  }
  const there = (await walk(client, id)).toSorted();
  const expected = [...events.values()].toSorted();
  const differing = expected.findIndex((line, i) => line !== there[i]);
  if (there.length !== expected.length || differing >= 0) {
    const first = differing < 0 ? "" : `; first ${expected[differing]} against ${there[differing]}`;
    wrong.push(`catalogue ${id} has ${there.length} events of ${expected.length}${first}`);
  }
  return wrong;
}

async function walk(client: ApiClient, id: string): Promise<string[]> {
  const lines: string[] = [];
  let place = "pagination=cursor";
  while (place !== "") {
    const path = `/api/catalogues/${id}/events?limit=1000&${place}`;
    const { status, body } = await client.get<Page>(path);
    if (status !== 200) return [`answered ${status}`];
    lines.push(...body.events.map(eventLine));
    const { nextCursor } = body.pagination;
    place = nextCursor === null ? "" : `cursor=${nextCursor}`;
  }
  return lines;
}

const LEFTOVERS_POLL_MS = 500;
const LEFTOVERS_DEADLINE_MS = 150_000;

/** Metrics of what answers hold; all are zero where nobody asks. */
const HELD =
  /^(?:database_pool_connections\{pool="(?:export|pages|retries)",state="active"|answers_|answer_bytes_)/;
const CONNECTIONS = /^database_pool_connections\{\S+ (\d+)$/gm;
/** That are in no pool: the watch, the listener, presence, leases, and what the log is subscribed with. */
const OTHER_CONNECTIONS = 8;

/** Once nobody asks any more, a gateway has given back all that its answers held. @returns what is wrong */
export async function checkLeftovers({ services, postgres }: World): Promise<string[]> {
  const databasePort = postgres.relay.port;
  const wrong: string[] = [];
  for (const { name, process } of services) {
    const gateway = process();
    if (!gateway?.url) continue;
    const deadline = Date.now() + LEFTOVERS_DEADLINE_MS;
    let left = await leftovers(gateway, databasePort);
    while (left.length > 0 && Date.now() < deadline) {
      await delay(LEFTOVERS_POLL_MS);
      left = await leftovers(gateway, databasePort);
    }
    wrong.push(...left.map((what) => `${name} has left ${what}`));
  }
  return wrong;
}

async function leftovers({ pid, url }: ServiceProcess, databasePort: number): Promise<string[]> {
  const { text } = await rawGet(url, "/metrics");
  const open = await openResources(pid);
  const found = text.split("\n").filter((line) => HELD.test(line) && !line.endsWith(" 0"));
  // What this process keeps for its next request is no leftover.
  const ours = new Set((await openResources()).connections.map(({ local }) => local));
  const clients = clientsAt(open, Number(new URL(url).port)).filter((port) => !ours.has(port));
  if (clients.length > 0) found.push(`${clients.length} connections of clients`);
  if (spoolsAmong(open) > 0) found.push(`${spoolsAmong(open)} spools`);
  if (open.files.length > 0) found.push(`files: ${open.files.join(", ")}`);
  const toDatabase = open.connections.filter(({ remote }) => remote === databasePort).length;
  const pooled = [...text.matchAll(CONNECTIONS)].reduce((sum, [, count]) => sum + Number(count), 0);
  if (toDatabase > pooled + OTHER_CONNECTIONS) {
    found.push(`${toDatabase} connections to the database, of which pools know ${pooled}`);
  }
  return found;
}

/**
 * Every read model equals what the log makes of it anew, row for row and hash for hash.
 * @returns what is wrong
 */
export async function checkReadModel(databaseUrl: string, log: EventLog): Promise<string[]> {
  const pool = createPgPool(databaseUrl, { applicationName: "torture", statementTimeoutMs: 0 });
  const { signal } = new AbortController();
  const losses: string[] = [];
  try {
    for (const projection of ALL_PROJECTIONS) {
      const verification = await verifyProjection({ log, pool, signal }, projection);
      if (!holds(verification)) losses.push(`rebuilt: ${JSON.stringify(verification)}`);
    }
    return losses;
  } finally {
    await pool.end();
  }
}

/** A message of a decision that the topic has to hold, with the changes of events before it. */
type Expected = { readonly type: string; readonly position: string; readonly changes: number };

/**
 * The topic, without repetitions, has every decision of the log in its order, and before each
 * revision all changes of its events.
 * @returns what is wrong
 */
export async function checkTopic(
  log: EventLog,
  messages: readonly RecordedMessage[],
): Promise<string[]> {
  const losses: string[] = [];
  const expected = await expectedByCatalogue(log);
  const told = Map.groupBy(messages, ({ key }) => key);
  for (const [id, decisions] of expected) {
    losses.push(...compareTopic(id, decisions, onlyFirstMessages(told.get(id) ?? [])));
  }
  for (const id of told.keys()) {
    if (!expected.has(id)) losses.push(`the topic tells of ${id}, of which the log does not know`);
  }
  return losses;
}

async function expectedByCatalogue(log: EventLog): Promise<Map<string, Expected[]>> {
  const expected = new Map<string, Expected[]>();
  for await (const { events } of eventsToHead(log, START, new AbortController().signal)) {
    for (const recorded of events) {
      if (!Object.hasOwn(catalogueEvents, recorded.type)) continue;
      const event = fromRecorded(recorded) as Parameters<typeof catalogueContent>[0];
      const content = catalogueContent(event);
      if (content === null) continue;
      const { catalogueId } = event.data;
      const changes =
        event.type === "RevisionCommitted"
          ? event.data.added + event.data.updated + event.data.removed
          : 0;
      const decision = { type: content.type, position: recorded.position, changes };
      const decisions = expected.get(catalogueId);
      if (decisions) decisions.push(decision);
      else expected.set(catalogueId, [decision]);
    }
  }
  return expected;
}

function onlyFirstMessages(messages: readonly RecordedMessage[]): RecordedMessage[] {
  const kept: RecordedMessage[] = [];
  for (const message of messages) {
    const last = kept.at(-1);
    const isNew =
      last === undefined ||
      message.position > last.position ||
      (message.position === last.position && message.ordinal > last.ordinal);
    if (isNew) kept.push(message);
  }
  return kept;
}

function compareTopic(
  id: string,
  expected: readonly Expected[],
  told: RecordedMessage[],
): string[] {
  let at = 0;
  for (const { type, position, changes } of expected) {
    for (let ordinal = 0; ordinal <= changes; ordinal += 1) {
      const message = told[at];
      const isRight =
        message?.position === position &&
        message.ordinal === ordinal &&
        message.type.startsWith("seismic-event.") === ordinal < changes &&
        (ordinal < changes || message.type === type);
      if (!isRight) {
        const found = JSON.stringify(message ?? null);
        return [`the topic has ${found} for message ${ordinal} of ${type} of ${id} at ${position}`];
      }
      at += 1;
    }
  }
  return at === told.length ? [] : [`the topic has ${told.length - at} messages too many of ${id}`];
}
