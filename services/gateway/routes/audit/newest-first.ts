import type { EventLog, Position, RecordedEvent } from "#infra/event-log/event-log.ts";
import { type AuditPage, type AuditRequest, isWanted, mayBeWanted } from "./audit-entry.ts";

/** Most that is read per request; a page that ends here is short, and the next one continues. */
const MAX_BATCHES = 50;
const MAX_BYTES = 32 * 1024 * 1024;

/** A page of the log, newest first; its `next` is the next one's `before`. */
export async function newestFirst(
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
