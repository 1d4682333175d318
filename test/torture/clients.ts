import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { ANALYTICS } from "#contracts/events/log.ts";
import { FORMAT_OF } from "#contracts/fdsn/parameters.ts";
import { EXPORT_FORMATS } from "#contracts/http/exports.ts";
import { ANALYTICS_HEADERS } from "#contracts/messages/analytics.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { sleep } from "#infra/kernel/waiting.ts";
import { fillingUpload } from "../support/api/file-form.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../support/api-client.ts";
import { type AppliedFeed, appliedLine, createAppliedFeed } from "../support/applied-feed.ts";
import { type FeedClient, followEvents } from "../support/feed-client.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { askRudely, requestBytes, WAYS_OUT } from "../support/rude-client.ts";
import {
  type Action,
  type ActionDeps,
  acknowledged,
  addEvents,
  createCatalogue,
  deleteCatalogue,
  eventLine,
  importEvents,
  type Ledger,
  mergeCatalogues,
  registerAccount,
  renameCatalogue,
  requestRole,
  resetPassword,
  restoreVersion,
} from "./actions.ts";

export type Call = {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** Of the user who calls; a guest's when absent. */
  readonly token?: string;
};

export type Settled<T> = ApiAnswer<T> & {
  /** Whether an earlier try may have had its effect already. */
  readonly repeated: boolean;
};

/** Sends a write until it is answered, whatever happens to the service meanwhile. */
export type PersistentClient = <T = unknown>(call: Call) => Promise<Settled<T>>;

type PersistentClientDeps = {
  /** URLs of the gateways that may be asked now; empty while none runs. */
  readonly gateways: () => readonly string[];
  readonly random: () => number;
  readonly ledger: Ledger;
};

const WAIT_MS = 200;
const REQUEST_TIMEOUT_MS = 90_000;

/**
 * A request that is cut off, or that the service could not finish (5xx), is sent again under the
 * same `Idempotency-Key`, to any gateway, and so is one that another change of the catalogue was in the way of (409 with
 * `Retry-After`). Any other refusal is final for its key: the same request begins anew under another one.
 */
export function createPersistentClient(deps: PersistentClientDeps): PersistentClient {
  const { gateways, random, ledger } = deps;
  return async <T>(call: Call): Promise<Settled<T>> => {
    let key = randomUUID();
    for (let tries = 0; ; tries += 1) {
      const urls = gateways();
      const url = urls[Math.floor(random() * urls.length)];
      const answer = url === undefined ? null : await callOnce<T>(url, call, key);
      if (answer !== null && answer.status < 500 && answer.status !== 409) {
        ledger.repeated += tries;
        return { ...answer, repeated: tries > 0 };
      }
      if (answer?.status === 409) {
        if (isFinal(call)) return { ...answer, repeated: tries > 0 };
        if (!answer.headers.has("retry-after")) key = randomUUID();
      }
      await delay(WAIT_MS);
    }
  };
}

/** Of an account, 409 says that it is there: the first try has made it. */
function isFinal({ path }: Call): boolean {
  return path === "/api/auth/register" || path === "/api/role-requests";
}

async function callOnce<T>(url: string, call: Call, key: string): Promise<ApiAnswer<T> | null> {
  const { method, path, body, token } = call;
  const client = createApiClient(url, token);
  const timer = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const timedOut = new Promise<null>((resolve) =>
    timer.addEventListener("abort", () => resolve(null), { once: true }),
  );
  const answer = client.send<T>(method, path, body, { "idempotency-key": key }).catch(() => null);
  return Promise.race([answer, timedOut]);
}

/** What a client does, by how often. */
const ACTIONS: readonly (readonly [Action, weight: number])[] = [
  [createCatalogue, 3],
  [addEvents, 6],
  [renameCatalogue, 3],
  [deleteCatalogue, 1.5],
  [mergeCatalogues, 1.5],
  [restoreVersion, 2],
  [importEvents, 2],
  [registerAccount, 1],
  [resetPassword, 2],
  [requestRole, 0.5],
];

/** One write after the other until `signal` aborts; the one at hand is brought to its end. */
export async function runClient(deps: ActionDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await choose(ACTIONS, deps.random)(deps);
}

/** One of `weighted`, at random. */
export function choose<T>(
  weighted: readonly (readonly [T, weight: number])[],
  random: () => number,
): T {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [item, weight] of weighted) {
    left -= weight;
    if (left < 0) return item;
  }
  throw new RangeError("nothing to choose from");
}

/** Catalogues followed at once. */
const FOLLOWED = 5;
/** Longest life of a client; killed, the next one goes on at any gateway. */
const LIFE_MS = 2_000;
const PAUSE_MS = 100;
const CAUGHT_UP_MS = 120_000;

type FeedFollowers = {
  /** How often a client was killed. */
  readonly killed: () => number;
  /** Follows to the end, and compares. @returns what was lost, came twice or is wrong */
  readonly check: () => Promise<string[]>;
};

type FollowersDeps = {
  readonly gateways: () => readonly string[];
  readonly random: () => number;
  readonly ledger: Pick<Ledger, "catalogues" | "deleted">;
  /** Of the administrator. */
  readonly token: string;
};

/**
 * Clients of the feeds of some catalogues, from their first version on. They are killed again and again
 * until `signal` aborts; each goes on after the last message that the one before has had.
 */
export function followFeeds(deps: FollowersDeps, signal: AbortSignal): FeedFollowers {
  const followed = new Map<string, AppliedFeed>();
  let killed = 0;

  async function live(id: string, applied: AppliedFeed, lifeMs: number): Promise<void> {
    const { gateways, random, token } = deps;
    const urls = gateways();
    const url = urls[Math.floor(random() * urls.length)];
    if (url === undefined) return;
    const dying = AbortSignal.timeout(Math.ceil(lifeMs));
    const address = `${url}/api/catalogues/${id}/feed?control=true`;
    const headers = { token, "last-event-id": applied.lastId() };
    const client = await followEvents(address, headers, dying).catch(() => null);
    if (client !== null) await take(client, applied);
    killed += 1;
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const id = [...deps.ledger.catalogues.keys()].find((each) => !followed.has(each));
      if (id === undefined) {
        await sleep(PAUSE_MS, signal);
        continue;
      }
      const applied = createAppliedFeed();
      followed.set(id, applied);
      while (!signal.aborted && !deps.ledger.deleted.has(id)) {
        await live(id, applied, deps.random() * LIFE_MS);
        await sleep(PAUSE_MS, signal);
      }
    }
  }

  const running = Promise.all(Array.from({ length: FOLLOWED }, follow));
  return {
    killed: () => killed,
    async check() {
      await running;
      const wrong: string[] = [];
      for (const [id, applied] of followed) {
        const found = deps.ledger.deleted.has(id) ? [] : await compare(id, applied);
        wrong.push(...[...applied.faults, ...found].map((what) => `feed of ${id}: ${what}`));
      }
      return wrong;
    },
  };

  async function compare(id: string, applied: AppliedFeed): Promise<string[]> {
    const client = createApiClient(deps.gateways()[0] ?? "", deps.token);
    const { body } = await client.get<{ version: number }>(`/api/catalogues/${id}`);
    const deadline = Date.now() + CAUGHT_UP_MS;
    while (applied.version() < body.version) {
      if (Date.now() > deadline) return [`is at ${applied.version()} of ${body.version}`];
      await live(id, applied, LIFE_MS);
      await delay(PAUSE_MS);
    }
    const rows = await rowsOf(client, id, applied.version());
    if (rows.size !== applied.lines.size) return [`has ${applied.lines.size} of ${rows.size} rows`];
    return [...rows].flatMap(([event, row]) => {
      const line = applied.lines.get(event);
      return line === row ? [] : [`${event} is ${line}, not ${row}`];
    });
  }
}

async function take(client: FeedClient, applied: AppliedFeed): Promise<void> {
  for (let message = await client.next(); message !== null; message = await client.next()) {
    applied.apply(message);
  }
}

type Page = { events: SeismicEvent[]; pagination: { nextCursor: string | null } };

async function rowsOf(
  client: ApiClient,
  id: string,
  version: number,
): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (let place = `pagination=cursor&asOf=${version}`; place !== ""; ) {
    const { body } = await client.get<Page>(`/api/catalogues/${id}/events?limit=1000&${place}`);
    for (const event of body.events) rows.set(event.id, appliedLine(event));
    const { nextCursor } = body.pagination;
    place = nextCursor === null ? "" : `cursor=${nextCursor}`;
  }
  return rows;
}

/** What a message is recognised by. */
export type RecordedMessage = {
  readonly key: string;
  readonly type: string;
  readonly position: string;
  readonly ordinal: number;
};

export type TopicRecorder = {
  /** All messages of the topic so far, those of a catalogue in their order. */
  readonly messages: readonly RecordedMessage[];
  readonly close: () => Promise<void>;
};

type Line = { key: string; headers: string[]; payload: string };

/** Reads the topic all the while, since the mock cluster keeps the last 5 MB of a partition alone. */
export function startTopicRecorder(broker: string): TopicRecorder {
  const options = ["-C", "-b", broker, "-t", ANALYTICS.topic, "-o", "beginning", "-q", "-u", "-J"];
  const child = spawn("kcat", options, { stdio: ["ignore", "pipe", "ignore"] });
  const messages: RecordedMessage[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const { key, headers, payload } = JSON.parse(line) as Line;
    const header = (name: string) => headers[headers.indexOf(name) + 1] ?? "";
    const { type } = JSON.parse(payload) as { type: string };
    const position = header(ANALYTICS_HEADERS.position);
    messages.push({ key, type, position, ordinal: Number(header(ANALYTICS_HEADERS.ordinal)) });
  });
  return {
    messages,
    close: async () => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Who the clients without manners are, and what they ask for. */
export type Rudeness = {
  readonly token: string;
  /** A catalogue whose export is larger than what the sockets of both sides take. */
  readonly catalogueId: string;
  readonly upload: Buffer;
};

const EVENTS = 12_000;
const LINGER_MS = 400;
/** Longer than a client is waited for that takes nothing, on a busy machine too. */
const NOTHING_TAKEN_MS = 100_000;
const BOUNDARY = "rude";

export async function prepareRudeness(
  send: PersistentClient,
  ledger: Ledger,
  adminToken: string,
): Promise<Rudeness> {
  const account = { name: "Rude", email: "rude@example.org", password: "a long rude password" };
  const created = await send<{ user: { id: string } }>({
    method: "POST",
    path: "/api/auth/register",
    body: account,
  });
  const path = `/api/users/${created.body.user.id}`;
  await send({ method: "PATCH", path, body: { role: "editor" }, token: adminToken });
  const { email, password } = account;
  const login = { method: "POST", path: "/api/auth/login", body: { email, password } } as const;
  const { token } = (await send<{ token: string }>(login)).body;
  const catalogueId = await createLarge({ send, ledger }, adminToken);
  const form = new Response(fillingUpload());
  const upload = requestBytes({
    method: "POST",
    path: "/api/upload",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": form.headers.get("content-type") ?? BOUNDARY,
    },
    body: Buffer.from(await form.arrayBuffer()),
  });
  return { token, catalogueId, upload };
}

/** Changed by nobody: noted once. */
async function createLarge(
  deps: { readonly send: PersistentClient; readonly ledger: Ledger },
  token: string,
): Promise<string> {
  const events = [...generateEvents(1, EVENTS)];
  const name = "large";
  const body = { name, events };
  const call = { method: "POST", path: "/api/catalogues", body, token } as const;
  const answer = await acknowledged<{ id: string }>(deps, call, ({ status }) => status === 201);
  const { id } = answer.body;
  const lines = events.map(({ source_id, time, magnitude }) => [
    String(source_id),
    eventLine({ time, magnitude }),
  ]);
  const noted = new Map(lines as [string, string][]);
  deps.ledger.catalogues.set(id, { id, name, isPublic: false, events: noted, versions: new Map() });
  return id;
}

/** Asks for something large and leaves at any moment, in any way. */
export async function leaveEarly(
  url: string,
  rudeness: Rudeness,
  random: () => number,
): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const path = pick([
    exportPath(rudeness, random),
    pagePath(rudeness),
    queryPath(rudeness, random),
  ]);
  const request = random() < 0.3 ? rudeness.upload : get(rudeness, path);
  const sends = random() < 0.8 ? request.length : Math.floor(random() * request.length);
  await askRudely(url, request, {
    leaves: pick(WAYS_OUT),
    sends,
    takes: random() < 0.5 ? 0 : Math.floor(random() * pick([2_000, 5_000_000])),
    lingers: () => delay(random() ** 2 * LINGER_MS),
  });
}

/** Asks for something large and takes nothing of it. @returns what is wrong */
export async function takeNothing(url: string, rudeness: Rudeness): Promise<string | null> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  socket.write(
    get(
      rudeness,
      exportPath(rudeness, () => 0, "quakeml"),
    ),
  );
  await delay(NOTHING_TAKEN_MS);
  return (await isWhole(socket)) ? "a client that took nothing was not cut off" : null;
}

/** Whether what comes to its end is a whole answer, in chunks (RFC 9112, 7.1). */
async function isWhole(socket: Socket): Promise<boolean> {
  let end = "";
  socket.on("data", (piece) => {
    end = (end + piece.toString("latin1")).slice(-5);
  });
  if (!socket.closed) {
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await Promise.race([closed, once(socket, "end").catch(() => undefined)]);
  }
  socket.destroy();
  return end === "0\r\n\r\n";
}

function get({ token }: Rudeness, path: string): Buffer {
  return requestBytes({
    path,
    headers: { authorization: `Bearer ${token}`, connection: "close" },
  });
}

function exportPath({ catalogueId }: Rudeness, random: () => number, format?: string): string {
  const formats = Object.keys(EXPORT_FORMATS);
  const chosen = format ?? formats[Math.floor(random() * formats.length)];
  return `/api/catalogues/${catalogueId}/export?format=${chosen}`;
}

function queryPath({ catalogueId }: Rudeness, random: () => number): string {
  const formats = Object.keys(FORMAT_OF);
  const chosen = formats[Math.floor(random() * formats.length)];
  return `/api/catalogues/${catalogueId}/fdsnws/event/1/query?format=${chosen}`;
}

function pagePath({ catalogueId }: Rudeness): string {
  return `/api/catalogues/${catalogueId}/events/filtered`;
}
