import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Address, addressesOf, type Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { requestBytes } from "../../support/rude-client.ts";
import { runs } from "../../support/runs.ts";
import { useService } from "../../support/service.ts";

const WAIT = { timeout: 60_000, interval: 20 };

const service = useService({ TRUST_PROXY: "true", RATE_LIMIT_READ: "0" });
const editor = service.client("editor");
/** Who keeps events from being read, and who does so next. */
let [holder, next]: [Client, Client] = [new Client(), new Client()];
/** Sees in each statement what is the case: within a transaction that stays as it was. */
let watcher = new Client();
let id = "";
let eventId = "";
let token = "";

beforeAll(async () => {
  const events = Array.from({ length: 40 }, (_, i) =>
    seismicEvent({ magnitude: 2 + (i % 20) / 10, time: `2020-01-${10 + (i % 20)}T00:00:00Z` }),
  );
  ({ id } = await createCatalogue(editor, { events, is_public: true }));
  const path = `/api/catalogues/${id}`;
  const listed = await editor.get<{ events: { id: string }[] }>(`${path}/events`);
  eventId = listed.body.events[0]?.id ?? "";
  await editor.send("PATCH", `${path}/events/${eventId}`, { depth: 7 });
  const share = await editor.send<{ share: { url: string } }>("POST", `${path}/shares`, {});
  token = share.body.share.url.split("/").at(-1) ?? "";
  [holder, next, watcher] = await Promise.all([opened(), opened(), opened()]);
  // Whatever looks through its events by a filter takes long.
  for (const table of ["catalogues", "catalogue_versions"]) {
    await holder.query(`update read_model.${table} set event_count = 1000000000`);
  }
});
afterAll(() => Promise.all([holder.end(), next.end(), watcher.end()]));

async function opened(): Promise<Client> {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  return client;
}

const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await holder.query("rollback");
});

/** Nobody reads events until it is let go. */
async function hold(client: Client): Promise<void> {
  await client.query("begin");
  await client.query("lock table read_model.seismic_events in access exclusive mode");
}

/** Lets go those that wait, and holds whatever comes after them. */
async function letOnePass(): Promise<void> {
  const held = hold(next);
  await vi.waitFor(async () => {
    const { rows } = await watcher.query("select from pg_locks where pid = $1 and not granted", [
      pidOf(next),
    ]);
    expect(rows.length).toBe(1);
  }, WAIT);
  await holder.query("rollback");
  await held;
  [holder, next] = [next, holder];
}

const pidOf = (client: Client): number => (client as unknown as { processID: number }).processID;

/** The statements that wait for events, by the names of their connections. */
async function waiting(): Promise<string[]> {
  const { rows } = await watcher.query(
    `select application_name as name from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and pid <> $1
        and application_name not like 'projector%'`,
    [pidOf(next)],
  );
  return rows.map(({ name }) => name);
}

async function send(path: string, from = "192.0.2.1"): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  sockets.add(socket);
  await once(socket, "connect");
  socket.resume();
  const headers = { "x-forwarded-for": from, connection: "close" };
  socket.write(requestBytes({ method: "GET", path, headers }));
  return socket;
}

/** Crosses itself 499 times. */
const STAR = `POLYGON((${Array.from({ length: 500 }, (_, i) => {
  const angle = (2 * Math.PI * ((i * 248) % 499)) / 499;
  return `${(170 * Math.cos(angle)).toFixed(6)} ${(85 * Math.sin(angle)).toFixed(6)}`;
}).join()}))`;
const PATTERNS = Array(99).fill("source_id like '%s%_%7d%z%'").join(" or ");

const NAMES = Object.keys(operations);

/** What makes a read of an operation look through all events, as far as it has it. */
function costly({ query, id: name }: Operation): string {
  if (query === "fdsn") return new URLSearchParams({ polygon: STAR }).toString();
  const names = Object.keys(query?.shape ?? {});
  const parameters = {
    ...(names.includes("polygon") && { polygon: STAR }),
    ...(names.includes("filter") && { filter: PATTERNS }),
    // What analyses have found is kept, and shared with plots.
    ...(names.includes("maxDepth") && { maxDepth: String(600 + NAMES.indexOf(name)) }),
    ...(names.includes("mainshock") && { mainshock: eventId }),
    ...(names.includes("from") && { from: "0" }),
  };
  return new URLSearchParams(parameters).toString();
}

/** Whether it reads events in any case. */
function isSearch({ query, id: name }: Operation): boolean {
  if (query === "fdsn") return ["fdsnQuery", "fdsnCount"].includes(name);
  return ["polygon", "filter"].some((parameter) => parameter in (query?.shape ?? {}));
}

function pathAt(operation: Operation, { path }: Address): string {
  const values: Readonly<Record<string, string>> = {
    id,
    eventId,
    token,
    version: "2",
    at: "2100-01-01T00:00:00Z",
    name: "all_month.geojson",
    format: path.includes("query.") ? "geojson" : "svg",
    result: "00000000-0000-4000-8000-000000000000",
  };
  const filled = path.replaceAll(/:([a-zA-Z]+)/g, (_, name: string) => values[name] ?? "");
  return `${filled}?${costly(operation)}`;
}

/** They look one event up by its key, or so many events of a page by theirs. */
const BY_KEY: ReadonlySet<string> = new Set([
  "getEvent",
  "getEventHistory",
  "getEventsById",
  "getBulletin",
  "getOgcItem",
  "getEventDetail",
  "followCatalogue",
  "followCatalogues",
]);

const READS = Object.values(operations as Readonly<Record<string, Operation>>).flatMap(
  (operation) => {
    const addresses = addressesOf(operation);
    const address = addresses.find(({ access }) => access === "readers") ?? addresses[0];
    const isGuests =
      address !== undefined && ["public", "readers", "share"].includes(address.access);
    const isRead =
      operation.method === "GET" && !operation.upgrade && operation.needs === undefined;
    if (!isGuests || !isRead || BY_KEY.has(operation.id)) return [];
    return [[operation.id, operation, address] as const];
  },
);
/** What viewers read, and guests below a share. */
const SHARED = (["exportCatalogue", "filterEvents"] as const).flatMap((name) => {
  const operation: Operation = operations[name];
  const address = addressesOf(operation).find(({ access }) => access === "share");
  return address ? [[`${name} of a share`, operation, address] as const] : [];
});

/** In `npm test` a part of them, of each kind some. */
const ASKED = [...READS, ...SHARED];
const EACH = Math.round(ASKED.length / runs(ASKED.length));

test("whatever a guest reads ends when he leaves, at whichever statement", {
  timeout: 600_000,
}, async () => {
  for (const [name, operation, address] of ASKED.filter((_, i) => i % EACH === 0)) {
    for (let statements = 0; ; statements += 1) {
      await hold(holder);
      const socket = await send(pathAt(operation, address));
      let isOver = false;
      socket.once("close", () => {
        isOver = true;
      });
      const untilItWaits = () =>
        vi.waitFor(async () => expect(isOver || (await waiting()).length > 0).toBe(true), WAIT);
      await untilItWaits();
      for (let passed = 0; passed < statements && !isOver; passed += 1) {
        await letOnePass();
        await untilItWaits();
      }
      if (isOver) {
        await holder.query("rollback");
        expect(statements > 0 || !isSearch(operation), name).toBe(true);
        break;
      }
      socket.destroy();
      // They would wait for ever: nobody lets go.
      await vi.waitFor(async () => expect(await waiting()).toEqual([]), WAIT);
      await holder.query("rollback");
    }
  }
});

/** How answers stand, by kind. */
async function counted(metric: "running" | "waiting", kind: string): Promise<number> {
  const { text } = await rawGet(service.url, "/metrics");
  return Number(new RegExp(`^answers_${metric}\\{kind="${kind}"\\} (\\d+)$`, "m").exec(text)?.[1]);
}

test("costly searches and counts have a turn of their own, one of a network, and leave small pages alone", async () => {
  await hold(holder);
  const polygon = new URLSearchParams({ polygon: STAR });
  const filter = new URLSearchParams({ filter: PATTERNS });
  for (let i = 0; i < 6; i += 1) {
    await send(`/api/catalogues/${id}/fdsnws/event/1/count?${polygon}`);
    await send(`/api/catalogues/${id}/events/filtered?${polygon}&limit=${i + 1}`);
    await send(`/api/ogc/collections/${id}/items?${filter}`);
  }
  await vi.waitFor(async () => {
    expect(await counted("running", "searches")).toBe(1);
    expect(await counted("waiting", "searches")).toBe(17);
  }, WAIT);
  expect(await waiting()).toEqual(["searches"]);
  const small = send(`/api/catalogues/${id}/events?pageSize=5`, "192.0.2.2");
  await vi.waitFor(
    async () => expect((await waiting()).toSorted()).toEqual(["pages", "searches"]),
    WAIT,
  );
  const closed = once(await small, "close");
  await holder.query("rollback");
  await closed;
});

test("a search and a count that take longer than 5 s of their turn are refused with the way out", async () => {
  await hold(holder);
  const polygon = new URLSearchParams({ polygon: STAR });
  const [count, page] = await Promise.all([
    // Not as before: that answer is kept.
    rawGet(service.url, `/api/catalogues/${id}/fdsnws/event/1/count?${polygon}&maxmagnitude=9`),
    rawGet(service.url, `/api/catalogues/${id}/events/filtered?${polygon}`, {
      "x-forwarded-for": "192.0.2.3",
    }),
  ]);
  expect([count.status, page.status]).toEqual([413, 413]);
  expect(count.text).toContain("narrow the time");
  expect(JSON.parse(page.text)).toMatchObject({ code: "TOO_MANY_EVENTS" });
  await vi.waitFor(async () => expect(await waiting()).toEqual([]), WAIT);
});
