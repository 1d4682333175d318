import type { DatabasePool } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { FdsnQuery } from "#contracts/fdsn/parse-query.ts";
import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import { type FacadeFilters, type Removal, readRemoval } from "#projections/read/clients.ts";
import { type IdHolder, leadsTo, readIdHolders } from "#projections/read/events.ts";
import type { Reader } from "#projections/read/rights.ts";
import { firstReadable } from "#projections/read/versions.ts";
import type { FacadeTarget } from "./facade-target.ts";

/** The events that are meant, and the removed one that would be. */
export type WantedEvents = Pick<FacadeFilters, "eventIds" | "deleted"> & {
  /** Whether earlier versions have told, of which readers may not all read the same. */
  readonly isOfHistory: boolean;
  /** Where the ids lead to removed events alone, which are not wanted: the one that went last; else null. */
  readonly removed: string | null;
};

/** Finds the events that are meant by any id that they have or had, in the versions that the caller may read. */
export async function wantedEvents(
  { pool }: { readonly pool: DatabasePool },
  { version }: Pick<FacadeTarget, "version">,
  { eventIds, includeDeleted }: Pick<FdsnQuery, "eventIds" | "includeDeleted">,
  reader: Reader,
): Promise<WantedEvents> {
  const from = firstReadable(version, reader.kind === "guest");
  const deleted = includeDeleted === null ? null : { which: includeDeleted, from };
  if (eventIds === null) {
    return { eventIds: null, deleted, isOfHistory: deleted !== null, removed: null };
  }
  const found = await readIdHolders(pool, { ...version, from }, eventIds);
  const holders = [...found.values()];
  const there = includeDeleted === "only" ? [] : holders.flatMap(leadsTo);
  const removed = holders.flat().filter(({ isThere }) => !isThere);
  const meant = deleted === null ? there : [...there, ...removed];
  return {
    eventIds: [...new Set(meant.map(({ eventId }) => eventId))],
    deleted,
    isOfHistory: deleted !== null || meant.some(({ has }) => !has),
    removed: meant.length > 0 ? null : (latest(removed)?.eventId ?? null),
  };
}

function latest(removed: readonly IdHolder[]): IdHolder | undefined {
  return removed.toSorted((a, b) => b.last - a.last)[0];
}

/** @throws Refusal GONE, which tells of the removed event that is meant, where one is */
export async function requireNotRemoved(
  { pool }: { readonly pool: DatabasePool },
  target: FacadeTarget,
  { removed }: WantedEvents,
  reader: Reader,
): Promise<void> {
  if (removed === null) return;
  const from = firstReadable(target.version, reader.kind === "guest");
  const removal = await readRemoval(pool, { ...target.version, from }, removed);
  throw new Refusal("GONE", sentencesOf(removal, target));
}

function sentencesOf(
  { eventId, removedBy, last, successor }: Removal,
  { address, service }: FacadeTarget,
): string {
  const id = compactEventId(eventId);
  const then = `${address}/versions/${last}/fdsnws/event/1/query?eventid=${id}`;
  const gone = `The event ${id} was removed in version ${removedBy}; version ${last} is the last that has it: ${then}`;
  if (successor === null) return gone;
  const next = compactEventId(successor);
  return `${gone} . One of its ids leads to the event ${next} now: ${service}/query?eventid=${next}`;
}
