import { START as FIRST, type ReadRevision } from "@eventstore/db-client";
import type { RecordedEvent } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { isNoStream } from "./failures.ts";
import { toRecordedEvent } from "./recorded-event.ts";
import { takeAll } from "./take-all.ts";

/** The client's default is unlimited; a page of maximal appends is 100 MiB. */
const PAGE_EVENTS = 100;

/** Up to `limit` events from revision `from`; none for a stream that does not exist. */
export async function readStream(
  { client, credentials, onLeader }: Connection,
  stream: string,
  from: number,
  limit: number,
  timeoutMs: number,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  const readPage = async (next: number, maxCount: number): Promise<RecordedEvent[]> => {
    const fromRevision: ReadRevision = next === 0 ? FIRST : BigInt(next);
    const options = { fromRevision, maxCount, credentials, requiresLeader: true };
    const page = await onLeader(performance.now() + timeoutMs, () =>
      takeAll(client.readStream(stream, options), timeoutMs),
    );
    return page.flatMap(({ event }) => (event ? [toRecordedEvent(event)] : []));
  };
  try {
    while (events.length < limit) {
      const wanted = Math.min(PAGE_EVENTS, limit - events.length);
      const page = await readPage(from + events.length, wanted);
      events.push(...page);
      if (page.length < wanted) break;
    }
    return events;
  } catch (error) {
    if (isNoStream(error)) return [];
    throw error;
  }
}
