import { setImmediate } from "node:timers/promises";
import { Refusal } from "#contracts/errors.ts";
import { AUDIT_LIMIT, type AuditEntry, type AuditQuery } from "#contracts/http/audit.ts";
import type { EventLog, Position, RecordedEvent } from "#infra/event-log/event-log.ts";
import type { MakeHandler } from "../make-handler.ts";
import { entryOf } from "./audit-entry.ts";
import { entriesOfDeeds } from "./deeds.ts";
import { newestFirst } from "./newest-first.ts";
import { oldestFirst } from "./oldest-first.ts";

/** Each is told with its catalogue's history. */
const MOST_DEEDS = 100;

export const listAuditHandler: MakeHandler<"listAudit", "log" | "pool" | "versionHistories"> =
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
