import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";
import type { ServedCatalogue } from "../support/agency/served-catalogue.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import type { Call, PersistentClient, Settled } from "./clients.ts";

/** What the service has acknowledged: the truth that it is held to at the end. */
export type LedgerCatalogue = {
  readonly id: string;
  name: string;
  isPublic: boolean;
  /** Time and magnitude of every event, by its source id. */
  readonly events: Map<string, string>;
  /** The events of the latest versions that are known by their numbers. */
  readonly versions: Map<number, ReadonlyMap<string, string>>;
};

export type Ledger = {
  readonly catalogues: Map<string, LedgerCatalogue>;
  readonly deleted: Set<string>;
  /** Accounts by their email; a mail tells of a reset, but one in a quarter of an hour. */
  readonly accounts: Map<string, { readonly password: string; isReset: boolean }>;
  roleRequests: number;
  /** Writes that were acknowledged. */
  writes: number;
  /** Requests that had to be sent again. */
  repeated: number;
};

export function createLedger(): Ledger {
  return {
    catalogues: new Map(),
    deleted: new Set(),
    accounts: new Map(),
    roleRequests: 0,
    writes: 0,
    repeated: 0,
  };
}

/** Time and magnitude as they come back: what an event is recognised by, also in a merged catalogue. */
export function eventLine({ time, magnitude }: { time: unknown; magnitude: unknown }): string {
  return `${String(time)} ${String(magnitude)}`;
}

export type ActionDeps = {
  readonly send: PersistentClient;
  readonly ledger: Ledger;
  readonly random: () => number;
  /** Of the administrator. */
  readonly token: string;
  /** What there is to import. */
  readonly agency: Pick<ServedCatalogue, "events">;
  /** Catalogues that this client alone changes. */
  readonly own: LedgerCatalogue[];
};

/** One write, noted in the ledger once it is acknowledged. */
export type Action = (deps: ActionDeps) => Promise<void>;

/** The answer was none that the write can have. */
class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";

  constructor({ method, path }: Call, { status, body }: Settled<unknown>) {
    super(`${method} ${path}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  }
}

/** Sends a write, and counts it once it is answered as it can be. @throws UnexpectedAnswer */
export async function acknowledged<T>(
  { send, ledger }: Pick<ActionDeps, "send" | "ledger">,
  call: Call,
  isRight: (answer: Settled<T>) => boolean,
): Promise<Settled<T>> {
  const answer = await send<T>(call);
  if (!isRight(answer)) throw new UnexpectedAnswer(call, answer);
  ledger.writes += 1;
  return answer;
}

/** A write of the administrator's that can be answered with these alone; its answer. */
async function write<T>(
  deps: ActionDeps,
  [method, path]: readonly [Call["method"], string],
  body?: unknown,
  statuses: readonly number[] = [200],
): Promise<T> {
  const call = { method, path, body, token: deps.token };
  const answer = await acknowledged<T>(deps, call, ({ status }) => statuses.includes(status));
  return answer.body;
}

type Imported = { catalogueId: string; totalFetched: number };

const MOST_DAYS = 300;
const DAY_MS = 86_400_000;

/** Imports what the agency has of some months: into a new catalogue, or into one imported before. */
export const importEvents: Action = async (deps) => {
  const { ledger, own, random } = deps;
  const into = random() < 0.5 ? own.find(({ name }) => name.startsWith("imported ")) : undefined;
  const name = `imported ${Math.floor(random() * 1e9)}`;
  const window = someMonths(deps);
  const body = {
    ...window,
    ...(into ? { catalogueId: into.id } : { catalogueName: name }),
    detail: random() < 0.5 ? "summary" : "full",
  };
  const { catalogueId } = await write<Imported>(deps, ["POST", "/api/import/agency"], body);
  const catalogue = into ?? newCatalogue(catalogueId, name);
  const [start, end] = [timeToMicros(window.startDate), timeToMicros(window.endDate)];
  for (const { row } of deps.agency.events()) {
    const { source_id, time, magnitude } = row;
    const micros = timeToMicros(String(time));
    if (micros < start || micros > end) continue;
    catalogue.events.set(String(source_id), eventLine({ time, magnitude }));
  }
  if (into) return;
  ledger.catalogues.set(catalogue.id, catalogue);
  own.push(catalogue);
};

/** A window that begins at an event. */
function someMonths({ agency, random }: ActionDeps): { startDate: string; endDate: string } {
  const events = agency.events();
  const first = events[Math.floor(random() * events.length)];
  const startMs = Date.parse(String(first?.row["time"]));
  const endMs = startMs + random() * MOST_DAYS * DAY_MS;
  return { startDate: new Date(startMs).toISOString(), endDate: new Date(endMs).toISOString() };
}

function newCatalogue(id: string, name: string): LedgerCatalogue {
  return { id, name, isPublic: false, events: new Map(), versions: new Map() };
}

const PASSWORD = "a long password of torture";
/** Longer than a registration cut off keeps its address, and than the service is away. */
const RESERVED_MS = 180_000;
const RESERVED_POLL_MS = 5_000;

export const registerAccount: Action = async (deps) => {
  await register(deps);
};

/**
 * An address that a registration cut off has reserved stays refused for a minute (409): only whoever
 * can sign in has an account.
 * @returns the email address of the new account
 */
async function register(deps: ActionDeps): Promise<string> {
  const email = `user${Math.floor(deps.random() * 1e9)}@example.org`;
  const body = { name: "Somebody", email, password: PASSWORD };
  const call = { method: "POST", path: "/api/auth/register", body } as const;
  const deadline = Date.now() + RESERVED_MS;
  let repeated = false;
  while (true) {
    const answer = await deps.send(call);
    repeated ||= answer.repeated;
    const isReserved = answer.status === 409 && repeated;
    if (answer.status === 201 || (isReserved && (await canSignIn(deps, email)))) break;
    if (!isReserved || Date.now() > deadline) throw new UnexpectedAnswer(call, answer);
    await delay(RESERVED_POLL_MS);
  }
  deps.ledger.writes += 1;
  deps.ledger.accounts.set(email, { password: PASSWORD, isReset: false });
  return email;
}

async function canSignIn({ send }: ActionDeps, email: string): Promise<boolean> {
  const body = { email, password: PASSWORD };
  const { status } = await send({ method: "POST", path: "/api/auth/login", body });
  return status === 200;
}

export const resetPassword: Action = async (deps) => {
  const email = anyAccount(deps);
  if (email === undefined) return registerAccount(deps);
  await write(deps, ["POST", "/api/auth/forgot-password"], { email });
  const account = deps.ledger.accounts.get(email);
  if (account) account.isReset = true;
};

/** A new account asks for a role, of which administrators are told. */
export const requestRole: Action = async (deps) => {
  const email = await register(deps);
  const credentials = { email, password: PASSWORD };
  const { token } = await write<{ token: string }>(deps, ["POST", "/api/auth/login"], credentials);
  const body = { requestedRole: "editor", justification: "to change catalogues while it burns" };
  const call = { method: "POST", path: "/api/role-requests", body, token } as const;
  await acknowledged(
    deps,
    call,
    ({ status, repeated }) => status === 201 || (status === 409 && repeated),
  );
  deps.ledger.roleRequests += 1;
};

function anyAccount({ ledger, random }: ActionDeps): string | undefined {
  const emails = [...ledger.accounts.keys()];
  return emails[Math.floor(random() * emails.length)];
}

const MOST_EVENTS = 3_000;

/** Made of events of their own, unlike those merged or imported. */
const isWritten = ({ name }: LedgerCatalogue): boolean => name.startsWith("catalogue ");

const pick = ({ own, random }: ActionDeps) => own[Math.floor(random() * own.length)];

function newEvents({ random }: ActionDeps): JsonObject[] {
  const seed = Math.floor(random() * 1e9);
  const events = [...generateEvents(seed, 1 + Math.floor(random() ** 2 * MOST_EVENTS))];
  return events.map((event, i) => ({ ...event, source_id: `${seed}-${i}` }));
}

const KEPT_VERSIONS = 4;

function note(catalogue: LedgerCatalogue, version: number, events: readonly JsonObject[]): void {
  for (const { source_id, time, magnitude } of events) {
    catalogue.events.set(String(source_id), eventLine({ time, magnitude }));
  }
  catalogue.versions.set(version, new Map(catalogue.events));
  const [oldest] = catalogue.versions.keys();
  if (catalogue.versions.size > KEPT_VERSIONS && oldest) catalogue.versions.delete(oldest);
}

export const createCatalogue: Action = async (deps) => {
  const events = newEvents(deps);
  const name = `catalogue ${Math.floor(deps.random() * 1e9)}`;
  const body = { name, events };
  const { id } = await write<{ id: string }>(deps, ["POST", "/api/catalogues"], body, [201]);
  const catalogue = newCatalogue(id, name);
  note(catalogue, 1, events);
  deps.ledger.catalogues.set(catalogue.id, catalogue);
  deps.own.push(catalogue);
};

/** Adds events, and changes the magnitudes of some that are there. */
export const addEvents: Action = async (deps) => {
  const catalogue = pick(deps);
  if (catalogue === undefined || !isWritten(catalogue)) return createCatalogue(deps);
  const changed = [...catalogue.events]
    .filter(() => deps.random() < 0.05)
    .map(([source_id, line]) => ({
      source_id,
      time: line.split(" ")[0] ?? "",
      latitude: -41,
      longitude: 174,
      magnitude: Math.floor(deps.random() * 60) / 10,
    }));
  const events = [...newEvents(deps), ...changed];
  const path = `/api/catalogues/${catalogue.id}/events`;
  const body = { events, updateExisting: true };
  const { version } = await write<{ version: number }>(deps, ["POST", path], body);
  note(catalogue, version, events);
};

/** Makes a catalogue what it was at one of its latest versions. */
export const restoreVersion: Action = async (deps) => {
  const catalogue = pick(deps);
  const versions = [...(catalogue?.versions ?? [])];
  const [version, events] = versions[Math.floor(deps.random() * versions.length)] ?? [];
  if (catalogue === undefined || events === undefined) return createCatalogue(deps);
  const path = `/api/catalogues/${catalogue.id}/versions/${version}/restore`;
  await write(deps, ["POST", path]);
  catalogue.events.clear();
  for (const [sourceId, line] of events) catalogue.events.set(sourceId, line);
};

export const renameCatalogue: Action = async (deps) => {
  const catalogue = pick(deps);
  if (catalogue === undefined) return createCatalogue(deps);
  const kind = catalogue.name.split(" ")[0];
  const change = {
    name: `${kind} ${Math.floor(deps.random() * 1e9)}`,
    is_public: deps.random() < 0.5,
  };
  await write(deps, ["PATCH", `/api/catalogues/${catalogue.id}`], change);
  catalogue.name = change.name;
  catalogue.isPublic = change.is_public;
};

export const deleteCatalogue: Action = async (deps) => {
  const catalogue = pick(deps);
  if (catalogue === undefined) return createCatalogue(deps);
  const path = `/api/catalogues/${catalogue.id}`;
  const isGone = ({ status, repeated }: Settled<unknown>) =>
    status === 200 || (status === 404 && repeated);
  await acknowledged(deps, { method: "DELETE", path, token: deps.token }, isGone);
  deps.own.splice(deps.own.indexOf(catalogue), 1);
  deps.ledger.catalogues.delete(catalogue.id);
  deps.ledger.deleted.add(catalogue.id);
};

/** Without thresholds nothing is one and the same: the merged catalogue has the events of both. */
export const mergeCatalogues: Action = async (deps) => {
  const sources = deps.own.filter(isWritten).slice(-2);
  const [first, second] = sources;
  if (first === undefined || second === undefined) return createCatalogue(deps);
  const name = `merged ${Math.floor(deps.random() * 1e9)}`;
  const config = { timeThreshold: 0, distanceThreshold: 0, mergeStrategy: "quality", priority: "" };
  const sourceCatalogues = sources.map(({ id }) => ({ id, source: id }));
  const body = { name, sourceCatalogues, config };
  const { catalogueId: id } = await write<{ catalogueId: string }>(
    deps,
    ["POST", "/api/merge"],
    body,
  );
  const events = new Map([...first.events, ...second.events]);
  const catalogue = { ...newCatalogue(id, name), events };
  deps.ledger.catalogues.set(id, catalogue);
  deps.own.push(catalogue);
};
