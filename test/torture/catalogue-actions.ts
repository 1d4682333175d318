import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { type Action, type ActionDeps, acknowledged } from "./action.ts";
import { eventLine, type LedgerCatalogue } from "./ledger.ts";
import type { Settled } from "./persistent-client.ts";

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
  const call = { method: "POST", path: "/api/catalogues", body, token: deps.token } as const;
  const answer = await acknowledged<{ id: string }>(deps, call, ({ status }) => status === 201);
  const { id } = answer.body;
  const catalogue = { id, name, isPublic: false, events: new Map(), versions: new Map() };
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
  const call = { method: "POST", path, body, token: deps.token } as const;
  const answer = await acknowledged<{ version: number }>(
    deps,
    call,
    ({ status }) => status === 200,
  );
  note(catalogue, answer.body.version, events);
};

/** Makes a catalogue what it was at one of its latest versions. */
export const restoreVersion: Action = async (deps) => {
  const catalogue = pick(deps);
  const versions = [...(catalogue?.versions ?? [])];
  const [version, events] = versions[Math.floor(deps.random() * versions.length)] ?? [];
  if (catalogue === undefined || events === undefined) return createCatalogue(deps);
  const path = `/api/catalogues/${catalogue.id}/versions/${version}/restore`;
  const call = { method: "POST", path, token: deps.token } as const;
  await acknowledged(deps, call, ({ status }) => status === 200);
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
  const path = `/api/catalogues/${catalogue.id}`;
  const call = { method: "PATCH", path, body: change, token: deps.token } as const;
  await acknowledged(deps, call, ({ status }) => status === 200);
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
  const call = { method: "POST", path: "/api/merge", body, token: deps.token } as const;
  const answer = await acknowledged<{ catalogueId: string }>(
    deps,
    call,
    ({ status }) => status === 200,
  );
  const id = answer.body.catalogueId;
  const events = new Map([...first.events, ...second.events]);
  const catalogue = { id, name, isPublic: false, events, versions: new Map() };
  deps.ledger.catalogues.set(id, catalogue);
  deps.own.push(catalogue);
};
