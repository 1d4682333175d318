import { createWakeUp, type WakeUp } from "#infra/kernel/wake-up.ts";
import type { ExpectedRevision, ProposedEvent, StoredEvent } from "./stored-event.ts";
import { NONE } from "./stored-event.ts";

export type AppendOutcome =
  | { readonly kind: "appended"; readonly revision: number; readonly position: bigint | null }
  | { readonly kind: "wrong-revision"; readonly current: number }
  | { readonly kind: "too-large"; readonly maxBytes: number }
  | { readonly kind: "deleted" };

/** What changes the store; replayed in order it makes the same store again. */
export type Change =
  | {
      readonly kind: "append";
      readonly stream: string;
      readonly createdMs: number;
      readonly events: readonly ProposedEvent[];
    }
  | { readonly kind: "delete"; readonly stream: string }
  | { readonly kind: "tombstone"; readonly stream: string };

type Stream = {
  readonly events: StoredEvent[];
  /** Events before it were deleted. */
  firstRevision: number;
  isTombstoned: boolean;
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
  /** Deletes what a stream holds; for good it takes no events any more. */
  remove(stream: string, expected: ExpectedRevision, forGood: boolean): AppendOutcome;
  /** Everything, in order. */
  readonly all: readonly StoredEvent[];
  /** Null when there is no such stream, or it was deleted. */
  stream(name: string): readonly StoredEvent[] | null;
  isTombstoned(name: string): boolean;
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
  const streams = new Map<string, Stream>();
  const changes = createWakeUp();
  let position = 0n;

  function openStream(name: string): Stream {
    const stream = streams.get(name) ?? { events: [], firstRevision: 0, isTombstoned: false };
    streams.set(name, stream);
    return stream;
  }

  function apply(change: Change): void {
    const stream = openStream(change.stream);
    switch (change.kind) {
      case "append":
        for (const event of change.events) {
          const { createdMs } = change;
          const revision = stream.events.length;
          const stored = { ...event, stream: change.stream, revision, createdMs, position };
          stream.events.push(stored);
          all.push(stored);
          position += BigInt(RECORD_BYTES + event.data.length + event.metadata.length);
        }
        break;
      case "delete":
        stream.firstRevision = stream.events.length;
        break;
      case "tombstone":
        stream.isTombstoned = true;
        break;
      default: {
        const unknown: never = change;
        throw new Error(`unknown change: ${JSON.stringify(unknown)}`);
      }
    }
    changes.wake();
  }

  function refusal(name: string, expected: ExpectedRevision): AppendOutcome | null {
    const stream = streams.get(name);
    if (stream?.isTombstoned) return { kind: "deleted" };
    const current = (stream?.events.length ?? 0) - 1;
    const exists = stream !== undefined && stream.firstRevision < stream.events.length;
    if (isExpected(expected, current, exists)) return null;
    return { kind: "wrong-revision", current };
  }

  return {
    append(name, expected, events) {
      const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
      if (bytes > maxAppendBytes) return { kind: "too-large", maxBytes: maxAppendBytes };
      const repeated = streams.get(name)?.isTombstoned
        ? null
        : findRepeated(streams.get(name)?.events ?? [], expected, events);
      if (repeated) return appended(repeated);
      const refused = refusal(name, expected);
      if (refused) return refused;
      const change: Change = { kind: "append", stream: name, createdMs: Date.now(), events };
      commit(change);
      apply(change);
      return appended(all.at(-1));
    },
    remove(name, expected, forGood) {
      const refused = refusal(name, expected);
      if (refused) return refused;
      const change: Change = { kind: forGood ? "tombstone" : "delete", stream: name };
      commit(change);
      apply(change);
      return { kind: "appended", revision: NONE, position };
    },
    all,
    stream(name) {
      const stream = streams.get(name);
      if (!stream || stream.firstRevision === stream.events.length) return null;
      return stream.events.slice(stream.firstRevision);
    },
    isTombstoned: (name) => streams.get(name)?.isTombstoned ?? false,
    apply,
    changes,
  };
}

function appended(last: StoredEvent | undefined): AppendOutcome {
  if (last === undefined) return { kind: "appended", revision: NONE, position: null };
  return { kind: "appended", revision: last.revision, position: last.position };
}

function isExpected(expected: ExpectedRevision, current: number, exists: boolean): boolean {
  switch (expected) {
    case "any":
      return true;
    case "no_stream":
      return !exists;
    case "stream_exists":
      return exists;
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
