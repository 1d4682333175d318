import { createWakeUp, type WakeUp } from "#infra/kernel/waiting.ts";
import {
  type ExpectedRevision,
  NONE,
  type ProposedEvent,
  type StoredEvent,
} from "./stored-event.ts";

export type AppendOutcome =
  | { readonly kind: "appended"; readonly revision: number; readonly position: bigint | null }
  | { readonly kind: "wrong-revision"; readonly current: number }
  | { readonly kind: "too-large"; readonly maxBytes: number };

/** What changes the store; replayed in order it makes the same store again. */
export type Change = {
  readonly stream: string;
  readonly createdMs: number;
  readonly events: readonly ProposedEvent[];
};

/** As the server is configured by default. */
const MAX_APPEND_BYTES = 1024 * 1024;

/** About what a record takes in the server's file besides its content. */
const RECORD_BYTES = 100;

export type EventStore = {
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): AppendOutcome;
  /** Everything, in order. */
  readonly all: readonly StoredEvent[];
  /** Null when there is no such stream. */
  stream(name: string): readonly StoredEvent[] | null;
  apply(change: Change): void;
  /** Woken by every change. */
  readonly changes: WakeUp;
};

export type EventStoreOptions = {
  /** Makes a change durable; it is answered afterwards. */
  readonly commit?: (change: Change) => void;
  readonly maxAppendBytes?: number;
};

/**
 * What an EventStoreDB server keeps, with its rules for expected revisions and for events that are
 * proposed again.
 */
export function createEventStore({
  commit = () => {},
  maxAppendBytes = MAX_APPEND_BYTES,
}: EventStoreOptions = {}): EventStore {
  const all: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  const changes = createWakeUp();
  let position = 0n;

  function apply({ stream, createdMs, events }: Change): void {
    const present = streams.get(stream) ?? [];
    streams.set(stream, present);
    for (const event of events) {
      const stored = { ...event, stream, revision: present.length, createdMs, position };
      present.push(stored);
      all.push(stored);
      position += BigInt(RECORD_BYTES + event.data.length + event.metadata.length);
    }
    changes.wake();
  }

  return {
    append(name, expected, events) {
      const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
      if (bytes > maxAppendBytes) return { kind: "too-large", maxBytes: maxAppendBytes };
      const present = streams.get(name) ?? [];
      const repeated = findRepeated(present, expected, events);
      if (repeated) return appended(repeated);
      const current = present.length - 1;
      if (!isExpected(expected, current)) return { kind: "wrong-revision", current };
      const change: Change = { stream: name, createdMs: Date.now(), events };
      commit(change);
      apply(change);
      return appended(all.at(-1));
    },
    all,
    stream: (name) => streams.get(name) ?? null,
    apply,
    changes,
  };
}

function appended(last: StoredEvent | undefined): AppendOutcome {
  if (last === undefined) return { kind: "appended", revision: NONE, position: null };
  return { kind: "appended", revision: last.revision, position: last.position };
}

function isExpected(expected: ExpectedRevision, current: number): boolean {
  switch (expected) {
    case "any":
      return true;
    case "no_stream":
      return current < 0;
    case "stream_exists":
      return current >= 0;
    default:
      return expected === current;
  }
}

/** The last of the events when all of them are already where they are proposed to be. */
function findRepeated(
  present: readonly StoredEvent[],
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
): StoredEvent | null {
  const first = firstPlace(present, expected, events);
  if (first === null || events.length === 0) return null;
  const places = present.slice(first, first + events.length);
  const isSame =
    places.length === events.length && places.every(({ id }, index) => id === events[index]?.id);
  return isSame ? (places.at(-1) ?? null) : null;
}

function firstPlace(
  present: readonly StoredEvent[],
  expected: ExpectedRevision,
  events: readonly ProposedEvent[],
): number | null {
  if (typeof expected === "number") return expected + 1;
  if (expected === "no_stream") return 0;
  const place = present.findLastIndex(({ id }) => id === events[0]?.id);
  return place < 0 ? null : place;
}

/** As newer versions of the server count; older ones count the data alone. */
function sizeOf({ type, data, metadata }: ProposedEvent): number {
  return data.length + metadata.length + 2 * type.length;
}
