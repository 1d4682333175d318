import { setImmediate } from "node:timers/promises";
import { AUDIT_LIMIT, type AuditEntry, type AuditQuery } from "#contracts/http/audit.ts";
import type { EventLog, Position } from "#infra/event-log/event-log.ts";
import { type AuditPage, entryOf, isWanted, mayBeWanted } from "./audit-entry.ts";

/** Most that is read per request; a page that ends here is short, and the next one continues. */
const MAX_BATCHES = 50;
const MAX_BYTES = 32 * 1024 * 1024;

/** A page of the log, newest first; its `next` is the next one's `before`. */
export async function newestFirst(
  log: Pick<EventLog, "readBackwards">,
  query: AuditQuery,
): Promise<AuditPage> {
  const { limit = AUDIT_LIMIT.default, after } = query;
  const entries: AuditEntry[] = [];
  let before = (query.before ?? null) as Position | null;
  let bytes = 0;
  for (let batches = 0; batches < MAX_BATCHES && bytes < MAX_BYTES; batches += 1) {
    const batch = await log.readBackwards({
      before,
      limit: limit - entries.length,
      wanted: (event) => mayBeWanted(event, query),
    });
    for (const event of batch.events) {
      if (!isWanted(event, query)) continue;
      entries.push(entryOf(event));
      // Summarising a chunk takes some milliseconds.
      if (event.data instanceof Uint8Array) await setImmediate();
    }
    before = batch.position;
    bytes += batch.bytes;
    if (before === null || (after !== undefined && before <= after)) return { entries, next: null };
    if (entries.length === limit) break;
  }
  return { entries, next: before };
}
