import { setImmediate } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import { AUDIT_LIMIT, type AuditEntry, type AuditQuery } from "#contracts/http/audit.ts";
import {
  type EventLog,
  eventsUpTo,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/log/event-log.ts";
import { ALL_PROJECTIONS } from "#projections/all-projections.ts";
import { listParked, retryParked, StillParked } from "#projections/engine/parked.ts";
import { room } from "../../http/room.ts";
import type { MakeHandler } from "../make-handler.ts";
import {
  type AuditPage,
  type AuditRequest,
  entryOf,
  isWanted,
  mayBeWanted,
} from "./audit-entry.ts";
import { entriesOfDeeds } from "./deeds.ts";

/** Most events read per request; a page that ends here is short, and the next one continues. */
const MAX_EVENTS = 10_000;
const MAX_CHUNK_BYTES = 32 * 1024 * 1024;

/** A page of the log up to its head, oldest first. */
async function oldestFirst(
  log: Pick<EventLog, "subscribe">,
  query: AuditRequest,
  limit: number,
  head: Position,
): Promise<AuditPage> {
  const { before } = query;
  const after = (query.after ?? START) as Position;
  const wanted: RecordedEvent[] = [];
  const { signal: unlimited } = new AbortController();
  const budget = { events: MAX_EVENTS, bytes: MAX_CHUNK_BYTES };
  let reached = after;
  for await (const { events } of eventsUpTo(log, after, head, unlimited)) {
    for (const event of events) {
      if (before !== undefined && event.position >= before) return { events: wanted, next: null };
      reached = event.position;
      spend(budget, event);
      if (isWanted(event, query)) wanted.push(event);
      const full = wanted.length === limit || budget.events <= 0 || budget.bytes <= 0;
      if (full) return { events: wanted, next: reached < head ? reached : null };
    }
  }
  return { events: wanted, next: null };
}

function spend(budget: { events: number; bytes: number }, { data }: RecordedEvent): void {
  budget.events -= 1;
  if (data instanceof Uint8Array) budget.bytes -= data.byteLength;
}

/** Most that is read per request; a page that ends here is short, and the next one continues. */
const MAX_BATCHES = 50;
const MAX_BYTES = 32 * 1024 * 1024;

/** A page of the log, newest first; its `next` is the next one's `before`. */
async function newestFirst(
  log: Pick<EventLog, "readBackwards">,
  query: AuditRequest,
  limit: number,
): Promise<AuditPage> {
  const { after } = query;
  const events: RecordedEvent[] = [];
  let before = (query.before ?? null) as Position | null;
  let bytes = 0;
  for (let batches = 0; batches < MAX_BATCHES && bytes < MAX_BYTES; batches += 1) {
    const batch = await log.readBackwards({
      before,
      limit: limit - events.length,
      wanted: (event) => mayBeWanted(event, query),
    });
    events.push(...batch.events.filter((event) => isWanted(event, query)));
    before = batch.position;
    bytes += batch.bytes;
    if (before === null || (after !== undefined && before <= after)) return { events, next: null };
    if (events.length === limit) break;
  }
  return { events, next: before };
}

/** Each is told with its catalogue's history. */
const MOST_DEEDS = 100;

const listAuditHandler: MakeHandler<"listAudit", "log" | "pool" | "versionHistories"> =
  ({ log, ...deps }) =>
  async ({ query: asked, actor }) => {
    const query = { ...asked, only: actor.token?.catalogues ?? null };
    const head = await log.head();
    await requirePlaces(log, head, query);
    const areDeeds = query.deeds === "true";
    const wanted = query.limit ?? AUDIT_LIMIT.default;
    const limit = areDeeds ? Math.min(wanted, MOST_DEEDS) : wanted;
    const { events, next } = await (query.order === "desc"
      ? newestFirst(log, query, limit)
      : oldestFirst(log, query, limit, head));
    const entries = areDeeds ? await entriesOfDeeds(deps, events) : await entriesOf(events);
    return { body: { entries, next } };
  };

async function entriesOf(events: readonly RecordedEvent[]): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const event of events) {
    entries.push(entryOf(event));
    // Summarising a chunk takes some milliseconds.
    if (event.data instanceof Uint8Array) await setImmediate();
  }
  return entries;
}

/** @throws Refusal INVALID_CURSOR */
async function requirePlaces(
  log: Pick<EventLog, "eventAt">,
  head: Position,
  { after, before }: AuditQuery,
): Promise<void> {
  const isPlace =
    (after === undefined || (isPosition(head, after) && after <= head)) &&
    // An event store reads backwards only from where an event is.
    (before === undefined ||
      (isPosition(head, before) && (await log.eventAt(before as Position)) !== null));
  if (!isPlace) throw new Refusal("INVALID_CURSOR");
}

/** Positions consist of numbers in 16 hexadecimal digits, which every log stores in signed 64 bits. */
const NUMBERS = /^(?:[0-7][0-9a-f]{15})+$/;

/** Positions compare as text: all positions of a log have the same length. */
function isPosition(head: Position, position: string): boolean {
  return position.length === head.length && NUMBERS.test(position);
}

const listParkedEventsHandler: MakeHandler<"listParkedEvents", "retryPool"> =
  ({ retryPool }) =>
  async () => ({ body: { parked: await listParked(retryPool) } });

const retryParkedEventsHandler: MakeHandler<"retryParkedEvents", "retryPool" | "log"> =
  ({ retryPool, log }) =>
  async ({ params }) => {
    const parked = (await listParked(retryPool)).find(({ id }) => id === params.id);
    if (!parked) throw new Refusal("NOT_FOUND", "Nothing is parked under this id");
    const applied = await retryParked(retryPool, log, ALL_PROJECTIONS, parked).catch(refuse);
    return { body: { applied } };
  };

function refuse(error: unknown): never {
  if (!(error instanceof StillParked)) throw error;
  throw new Refusal("CONFLICT", error.message, { cause: error });
}

export const handlersOfAudit = room({
  listAudit: listAuditHandler,
  listParkedEvents: listParkedEventsHandler,
  retryParkedEvents: retryParkedEventsHandler,
});
