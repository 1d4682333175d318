import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import {
  type Batch,
  type EventLog,
  type NewEvent,
  type Position,
  type RecordedEvent,
  unverified,
} from "#infra/log/event-log.ts";

/** A log for one test, closed when the test is finished. */
export async function openLog<L extends EventLog>(makeLog: () => Promise<L>): Promise<L> {
  const log = await makeLog();
  onTestFinished(() => log.close());
  return log;
}

export function newEvent(overrides: Partial<NewEvent> = {}): NewEvent {
  return {
    id: randomUUID(),
    type: "Tested",
    data: { place: "Kaikōura" },
    metadata: {
      schemaVersion: 1,
      commandId: "3f2b8c1e-0d4f-4b56-9a51-0f7d1f3f5b11",
      actor: "system",
      at: "2026-01-02T03:04:05.678Z",
    },
    ...overrides,
  };
}

export function newEvents(count: number, overrides: Partial<NewEvent> = {}): NewEvent[] {
  return Array.from({ length: count }, () => newEvent(overrides));
}

/** A stream or a type that no other test uses. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID()}`;
}

export type Wanted = {
  after: Position;
  types?: readonly string[];
  /** Ends the subscription: enough has come. A number is of events. */
  enough: number | ((events: readonly RecordedEvent[], position: Position) => boolean);
  onBatch?: (batch: Batch) => void;
};

/** Subscribes until there is enough; gives the events and the position to go on from. */
export async function collect(
  log: EventLog,
  { after, types, enough, onBatch }: Wanted,
): Promise<{ events: RecordedEvent[]; position: Position }> {
  const ending = new AbortController();
  const events: RecordedEvent[] = [];
  let position = after;
  const request = { after: unverified(after), signal: ending.signal, ...(types && { types }) };
  for await (const batch of log.subscribe(request)) {
    onBatch?.(batch);
    events.push(...batch.events);
    position = batch.position;
    if (typeof enough === "number" ? events.length >= enough : enough(events, position)) break;
  }
  ending.abort();
  return { events, position };
}
