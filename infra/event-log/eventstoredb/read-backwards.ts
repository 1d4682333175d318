import { BACKWARDS, END } from "@eventstore/db-client";
import type { BackwardsBatch, BackwardsOptions, RecordedEvent } from "../event-log.ts";
import type { Connection } from "./connection.ts";
import { takeAll } from "./reads.ts";
import { fromPosition, isSystemEvent, toPosition, toRecordedEvent } from "./recorded-event.ts";

/** Chunks included, a page stays within some MiB: the server sends every event with its data. */
const PAGE_EVENTS = 50;

/** The events before a position, newest first, without the server's own; those count as examined. */
export async function readBackwards(
  { client, credentials, onLeader }: Connection,
  { before, limit, wanted }: BackwardsOptions,
  timeoutMs: number,
): Promise<BackwardsBatch> {
  const options = {
    direction: BACKWARDS,
    fromPosition: (before !== null && fromPosition(before)) || END,
    maxCount: PAGE_EVENTS,
    credentials,
    requiresLeader: true,
  } as const;
  const page = await onLeader(performance.now() + timeoutMs, () =>
    takeAll(client.readAll(options), timeoutMs),
  );
  const events: RecordedEvent[] = [];
  let position = before;
  let bytes = 0;
  for (const { event: stored } of page) {
    if (!stored) continue;
    position = toPosition(stored.position);
    if (isSystemEvent(stored.type)) continue;
    const event = toRecordedEvent(stored);
    if (event.data instanceof Uint8Array) bytes += event.data.byteLength;
    if (!wanted(event)) continue;
    events.push(event);
    if (events.length === limit) return { events, position, bytes };
  }
  return { events, position: page.length < PAGE_EVENTS ? null : position, bytes };
}
