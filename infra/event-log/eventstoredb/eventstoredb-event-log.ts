import { binaryEvent, type EventData, jsonEvent } from "@eventstore/db-client";
import { type Log, SILENT } from "#infra/kernel/log.ts";
import { Ambiguous } from "../errors.ts";
import {
  type EventLog,
  eventBytes,
  type NewEvent,
  type OperatedEventLog,
  type Position,
  requireAppendSize,
} from "../event-log.ts";
import { appendWithin } from "./append.ts";
import { openConnection } from "./connection.ts";
import { reading } from "./failures.ts";
import { createFindHead } from "./find-head.ts";
import { readBackwards } from "./read-backwards.ts";
import { findEventAt, readStream } from "./reads.ts";
import { ordinalOf, toPosition } from "./recorded-event.ts";
import { subscription } from "./subscription.ts";

const SECOND = 1_000;

export type EventStoreDbEventLogOptions = {
  readonly log?: Log;
  /** Longest silence of a read. Default 4 s. */
  readonly readTimeoutMs?: number;
  /** Silence of a subscription after which it is checked. Default 5 s. */
  readonly silenceMs?: number;
};

export type EventStoreDbEventLog = EventLog & Pick<OperatedEventLog, "ordinal">;

/**
 * The event log in an EventStoreDB or KurrentDB server. Connects at the first call.
 * @param url the client's connection string, esdb://…
 * @throws RangeError for an invalid one
 */
export function createEventStoreDbEventLog(
  url: string,
  options: EventStoreDbEventLogOptions = {},
): EventStoreDbEventLog {
  const { log = SILENT, readTimeoutMs = 4 * SECOND, silenceMs = 5 * SECOND } = options;
  const connection = openConnection(url);
  const findHead = createFindHead(connection);

  /** @throws Ambiguous when the event cannot be read; repeating the append settles it */
  const positionAt = async (stream: string, revision: number): Promise<Position> => {
    try {
      const [event] = await readStream(connection, stream, revision, 1, readTimeoutMs);
      if (event?.revision === revision) return event.position;
    } catch (cause) {
      throw new Ambiguous("the append has happened, its position cannot be read", { cause });
    }
    throw new Ambiguous(`the append has happened, revision ${revision} of ${stream} is not there`);
  };

  const eventAt = (position: Position) =>
    reading(() => findEventAt(connection, position, readTimeoutMs));

  return {
    async append(stream, expectedRevision, events, { timeoutMs = 10 * SECOND } = {}) {
      const append = { stream, expectedRevision, ...toEventData(events) };
      const { nextExpectedRevision, position } = await appendWithin(connection, append, timeoutMs);
      const revision = Number(nextExpectedRevision);
      // A server may answer a repeated append without a position.
      if (position !== undefined) return { revision, position: toPosition(position) };
      return { revision, position: await positionAt(stream, revision) };
    },

    read: (stream, from, limit) =>
      reading(() => readStream(connection, stream, from, limit, readTimeoutMs)),

    readBackwards: (options) => reading(() => readBackwards(connection, options, readTimeoutMs)),

    subscribe: (request) =>
      subscription(
        { connection, findHead, eventAt, log, silenceMs },
        { ...request, signal: AbortSignal.any([request.signal, connection.closing]) },
      ),

    head: () => connection.reaching(() => findHead(readTimeoutMs)),
    eventAt,

    ordinal: ordinalOf,
    close: connection.close,
  };
}

/**
 * Events in the client's form, chunks as binary and domain events as JSON; `bytes` is their total
 * size.
 * @throws TooLarge when it exceeds MAX_APPEND_BYTES; RangeError without events
 */
function toEventData(events: readonly NewEvent[]): {
  readonly data: EventData[];
  readonly bytes: number;
} {
  const sizes = events.map(sizeOf);
  requireAppendSize(sizes);
  const data = events.map(({ id, type, data, metadata }) =>
    data instanceof Uint8Array
      ? binaryEvent({ id, type, data, metadata })
      : jsonEvent({ id, type, data, metadata }),
  );
  return { data, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function sizeOf({ type, data, metadata }: NewEvent): number {
  const dataBytes =
    data instanceof Uint8Array ? data.byteLength : Buffer.byteLength(JSON.stringify(data));
  return eventBytes(type, dataBytes, Buffer.byteLength(JSON.stringify(metadata)));
}
