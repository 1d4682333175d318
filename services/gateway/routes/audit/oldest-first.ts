import {
  type EventLog,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/event-log/event-log.ts";
import { eventsUpTo } from "#infra/event-log/events-to-head.ts";
import { type AuditPage, type AuditRequest, isWanted } from "./audit-entry.ts";

/** Most events read per request; a page that ends here is short, and the next one continues. */
const MAX_EVENTS = 10_000;
const MAX_CHUNK_BYTES = 32 * 1024 * 1024;

/** A page of the log up to its head, oldest first. */
export async function oldestFirst(
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
