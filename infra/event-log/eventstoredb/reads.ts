import {
  START as FIRST,
  FORWARDS,
  type ReadRevision,
  type StreamingRead,
} from "@eventstore/db-client";
import type { Position, RecordedEvent } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { isInvalidPosition, isNoStream, NoAnswer } from "./failures.ts";
import { fromPosition, toPosition, toRecordedEvent } from "./recorded-event.ts";

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

/**
 * All items of a client read. Such a read has no deadline and could hang for ever, so it is
 * abandoned after a silence of `timeoutMs`.
 * @throws NoAnswer, and the client's errors unchanged
 */
export function takeAll<E>(stream: StreamingRead<E>, timeoutMs: number): Promise<E[]> {
  const { promise, resolve, reject } = Promise.withResolvers<E[]>();
  const taken: E[] = [];
  const timer = setTimeout(() => {
    reject(new NoAnswer("a read", timeoutMs));
    void stream.cancel().catch(() => {});
  }, timeoutMs);
  stream.on("data", (item) => {
    taken.push(item);
    timer.refresh();
  });
  stream.on("end", () => resolve(taken));
  // Never removed: the client may emit an error after the end, which would end the process.
  stream.on("error", reject);
  return promise.finally(() => clearTimeout(timer));
}

/** Id of the event at a position, including the server's own events; null without one. */
export async function findEventAt(
  { client, credentials, onLeader }: Connection,
  position: Position,
  timeoutMs: number,
): Promise<string | null> {
  const place = fromPosition(position);
  if (place === null) return null;
  const options = {
    direction: FORWARDS,
    fromPosition: place,
    maxCount: 1,
    credentials,
    requiresLeader: true,
  } as const;
  try {
    const [found] = await onLeader(performance.now() + timeoutMs, () =>
      takeAll(client.readAll(options), timeoutMs),
    );
    const event = found?.event;
    return event && toPosition(event.position) === position ? event.id : null;
  } catch (error) {
    if (isInvalidPosition(error)) return null;
    throw error;
  }
}
