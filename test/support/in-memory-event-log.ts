import { setImmediate } from "node:timers/promises";
import {
  type Appended,
  type EventLog,
  eventBytes,
  type NewEvent,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  requireAppendSize,
  START,
  Unavailable,
  WrongExpectedRevision,
} from "#infra/log/event-log.ts";
import { requireSamePlace } from "#infra/log/known-log.ts";

const BATCH_EVENTS = 500;

/**
 * The port over an array: for tests of what is built on the log. It takes part in the contract
 * suite, so it behaves as the real ones do; what it gives out shares no memory with what it holds.
 */
export function createInMemoryEventLog(): EventLog {
  const events: RecordedEvent[] = [];
  const closing = new AbortController();
  const appends = new EventTarget();

  function streamEvents(stream: string): RecordedEvent[] {
    if (closing.signal.aborted) throw new Unavailable("the event log is closed");
    return events.filter((event) => event.stream === stream);
  }

  const eventAt = async (position: Position): Promise<string | null> =>
    events.find((event) => event.position === position)?.id ?? null;

  return {
    eventAt,

    async append(stream, expectedRevision, added) {
      requireAppendSize(added.map(sizeOf));
      const present = streamEvents(stream);
      const place = present.slice(expectedRevision + 1, expectedRevision + 1 + added.length);
      if (sameIds(place, added)) return lastPlace(place);
      const actual = present.at(-1)?.revision ?? NO_STREAM;
      if (actual !== expectedRevision) {
        throw new WrongExpectedRevision(stream, expectedRevision, actual);
      }
      for (const [index, event] of added.entries()) {
        const revision = actual + 1 + index;
        const position = positionOf(events.length + 1);
        const recordedAt = new Date().toISOString();
        events.push(copyOf({ ...event, stream, revision, position, recordedAt }));
      }
      appends.dispatchEvent(new Event("append"));
      return lastPlace(events);
    },

    async read(stream, from, limit) {
      const found = streamEvents(stream).filter((event) => event.revision >= from);
      return found.slice(0, limit).map(copyOf);
    },

    async readBackwards({ before, limit, wanted }) {
      const end = events.findIndex(({ position }) => position === before);
      const examined = events.slice(0, end < 0 ? undefined : end).slice(-BATCH_EVENTS);
      const found = examined.toReversed().filter(wanted).slice(0, limit);
      const oldest = found.length === limit ? found.at(-1) : examined.at(0);
      const isWhole = oldest === undefined || oldest === events[0];
      const bytes = found.reduce((sum, event) => sum + sizeOf(event), 0);
      return { events: found.map(copyOf), position: isWhole ? null : oldest.position, bytes };
    },

    async *subscribe({ after, types, signal }) {
      const ending = AbortSignal.any([signal, closing.signal]);
      await requireSamePlace({ eventAt }, after);
      let next = after.position === START ? 0 : Number.parseInt(after.position, 16);
      while (!ending.aborted) {
        const seen = events.slice(next, next + BATCH_EVENTS);
        next += seen.length;
        const last = seen.at(-1);
        if (last === undefined) {
          await nextAppend(appends, ending);
        } else {
          const wanted = seen.filter(({ type }) => types === undefined || types.includes(type));
          yield { events: wanted.map(copyOf), position: last.position, eventId: last.id };
          await setImmediate();
        }
      }
    },

    async head() {
      return events.at(-1)?.position ?? START;
    },

    async close() {
      closing.abort();
    },
  };
}

function sizeOf({ type, data, metadata }: NewEvent): number {
  const dataBytes =
    data instanceof Uint8Array ? data.byteLength : Buffer.byteLength(JSON.stringify(data));
  return eventBytes(type, dataBytes, Buffer.byteLength(JSON.stringify(metadata)));
}

function sameIds(place: readonly RecordedEvent[], added: readonly NewEvent[]): boolean {
  return place.length === added.length && place.every(({ id }, index) => id === added[index]?.id);
}

function lastPlace(place: readonly RecordedEvent[]): Appended {
  const last = place.at(-1);
  if (last === undefined) throw new RangeError("no event has a place");
  return { revision: last.revision, position: last.position };
}

function copyOf(event: RecordedEvent): RecordedEvent {
  const data =
    event.data instanceof Uint8Array ? new Uint8Array(event.data) : structuredClone(event.data);
  return { ...event, data, metadata: { ...event.metadata } };
}

function positionOf(count: number): Position {
  return count.toString(16).padStart(16, "0") as Position;
}

function nextAppend(appends: EventTarget, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      appends.removeEventListener("append", done);
      ending.removeEventListener("abort", done);
      resolve();
    }
    appends.addEventListener("append", done);
    ending.addEventListener("abort", done);
  });
}
