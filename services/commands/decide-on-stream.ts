import {
  type DomainEvent,
  fromRecorded,
  type Origin,
  toNewEvents,
} from "#infra/log/domain-events.ts";
import {
  Ambiguous,
  type Appended,
  type EventLog,
  type NewEvent,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  WrongExpectedRevision,
} from "#infra/log/event-log.ts";
import type { Command, CommandContext } from "./context.ts";
import { type DecisionModel, loadState, READ_PAGE } from "./load-state.ts";

/** How often a decision is repeated after another writer came first. */
const MAX_DECISIONS = 20;
/** Ambiguous appends are repeated unchanged, which their event ids make safe. */
const MAX_APPENDS = 3;
/**
 * For an append with its retries: with the 4 s of a read before it, a request is answered within 10 s even if the log
 * is blocked.
 */
const APPEND_MS = 5_000;

export type Decided<S, E> = {
  readonly state: S;
  readonly events: readonly E[];
  /** Position of the events; null when the decision made none. */
  readonly position: Position | null;
};

export type DecisionOptions = {
  /** Assume a new stream without reading it; the append shows whether it is. */
  readonly isNew?: boolean;
};

/**
 * Loads a stream, decides on its state and appends the events; starts again when another writer came
 * first. The returned state includes the new events. For a retried command, the decision of its
 * earlier run on the stream stands.
 * @throws refusals of `decide`; Ambiguous and Unavailable of the log
 */
export async function decideOnStream<S, E extends DomainEvent>(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  stream: string,
  model: DecisionModel<S, E>,
  decide: (state: S) => readonly E[],
  { isNew = false }: DecisionOptions = {},
): Promise<Decided<S, E>> {
  const origin: Origin = { commandId: command.id, actor: command.actor, at: context.now() };
  for (let attempt = 1; ; attempt += 1) {
    const { state, revision } =
      isNew && attempt === 1 && !command.retried
        ? { state: model.initial, revision: NO_STREAM }
        : await loadState(context.log, stream, model);
    const earlier = command.retried
      ? await eventsOfCommand(context, stream, revision, command.id)
      : [];
    const last = earlier.at(-1);
    if (last) return { state, events: earlier.map(fromRecorded) as E[], position: last.position };
    const events = decide(state);
    if (events.length === 0) return { state, events, position: null };
    const added = toNewEvents(stream, revision + 1, events, origin);
    try {
      const { position } = await appendSafely(context.log, stream, revision, added);
      return {
        state: events.reduce((before, event) => model.evolve(before, event, null), state),
        events,
        position,
      };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision) || attempt === MAX_DECISIONS) throw error;
    }
  }
}

/** Appends; an append with an unknown outcome is repeated for a while, which its event ids make safe. */
export async function appendSafely(
  log: EventLog,
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[],
): Promise<Appended> {
  const endsAt = performance.now() + APPEND_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const timeoutMs = Math.max(1, Math.round(endsAt - performance.now()));
      return await log.append(stream, expectedRevision, events, { timeoutMs });
    } catch (error) {
      const isLast = attempt === MAX_APPENDS || performance.now() >= endsAt;
      if (!(error instanceof Ambiguous) || isLast) throw error;
    }
  }
}

/**
 * A command may be retried for a day after its first run (the lifetime of an idempotency key); the
 * rest is for clocks that differ, and for runs that last.
 */
const RETRIED_FOR_MS = 48 * 60 * 60 * 1000;

/**
 * The events that an earlier run of a command has written to a decision stream, in order.
 * @param revision the last one of the stream
 */
export async function eventsOfCommand(
  { log, now }: Pick<CommandContext, "log" | "now">,
  stream: string,
  revision: number,
  commandId: string,
): Promise<RecordedEvent[]> {
  const since = new Date(now().getTime() - RETRIED_FOR_MS).toISOString();
  const written: RecordedEvent[] = [];
  for (let end = revision + 1; end > 0; end -= READ_PAGE) {
    const from = Math.max(0, end - READ_PAGE);
    const page = await log.read(stream, from, end - from);
    written.unshift(...page.filter(({ metadata }) => metadata.commandId === commandId));
    if ((page[0]?.recordedAt ?? "") < since) break;
  }
  return written;
}
