import { type DomainEvent, fromRecorded } from "#infra/log/domain-events.ts";
import { type EventLog, NO_STREAM } from "#infra/log/event-log.ts";

/** Events per read of a stream. */
export const READ_PAGE = 500;

export type StreamState<S> = {
  readonly state: S;
  readonly revision: number;
  /** Of that event, by which the stream is recognised; null without one. */
  readonly eventId: string | null;
};

/** Remembers states of streams. A state that is not the latest costs time, and nothing else. */
export type KeptStates<S> = {
  readonly find: (stream: string) => Promise<StreamState<S> | null>;
  /** Keeps the state of a stream that has just been read, or written. */
  readonly keep: (stream: string, state: StreamState<S>) => Promise<void>;
};

/** How to fold a kind of decision stream. */
export type DecisionModel<S, E extends DomainEvent> = {
  readonly initial: S;
  /** @param recordedAt when the log stored the event; null for one that is not stored yet */
  readonly evolve: (state: S, event: E, recordedAt: string | null) => S;
  /** Absent for short streams, which are read whole. */
  readonly memory?: KeptStates<S>;
};

/** The present state of a decision stream: a kept one with all events after it. */
export async function loadState<S, E extends DomainEvent>(
  log: Pick<EventLog, "read">,
  stream: string,
  { initial, evolve, memory }: DecisionModel<S, E>,
): Promise<StreamState<S>> {
  const known = (await memory?.find(stream)) ?? null;
  const after = known && (await readOn(log, stream, evolve, known));
  if (after !== null && after.revision === known?.revision) return after;
  const beginning = { state: initial, revision: NO_STREAM, eventId: null };
  const present = after ?? (await readOn(log, stream, evolve, beginning)) ?? beginning;
  if (present.revision !== NO_STREAM) await memory?.keep(stream, present);
  return present;
}

/**
 * The state after the rest of the stream; null where the stream has another event at the state's
 * place: the state is of another log, or of an older copy of this one.
 */
async function readOn<S, E extends DomainEvent>(
  log: Pick<EventLog, "read">,
  stream: string,
  evolve: DecisionModel<S, E>["evolve"],
  from: StreamState<S>,
): Promise<StreamState<S> | null> {
  let { state, revision, eventId } = from;
  // Its own last event is read again, to be compared.
  let next = Math.max(revision, 0);
  let isSame = eventId === null;
  while (true) {
    const page = await log.read(stream, next, READ_PAGE);
    for (const recorded of page) {
      if (recorded.revision === from.revision) {
        isSame = recorded.id === from.eventId;
        continue;
      }
      if (!isSame) return null;
      state = evolve(state, fromRecorded(recorded) as E, recorded.recordedAt);
      ({ revision, id: eventId } = recorded);
    }
    if (!isSame) return null;
    if (page.length < READ_PAGE) return { state, revision, eventId };
    next = revision + 1;
  }
}
