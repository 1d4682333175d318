import type { Registry } from "prom-client";
import type { Asker } from "#infra/kernel/asker.ts";
import {
  createFairQueue,
  type FairQueue,
  readyUnlessLeft,
  type Turn,
} from "#infra/kernel/fair-queue.ts";
import { QueueFull } from "#infra/kernel/queue-counts.ts";
import {
  type AnswerUse,
  createWaitMetric,
  registerAnswerUse,
} from "#infra/metrics/answer-metrics.ts";
import {
  ANSWER_KINDS,
  ANSWER_LIMITS,
  type AnswerKind,
  type AnswerLimits,
} from "./answer-limits.ts";
import { type AnswerScope, answerOver } from "./answer-scope.ts";
import { createHeldBytes, type HeldBytes } from "./held-bytes.ts";
import { Overloaded, RateLimited, RETRY_AFTER_SECONDS } from "./retry-later.ts";

/** The recipient of an answer: turns rotate by network and caller, bytes are bounded by network. */
export type Recipient = Pick<Asker, "caller" | "network" | "isGuest">;

/** The place of an answer among all others. */
export type AnswerPlace = {
  /**
   * Waits for the answer's turn among those of its kind. The place is released when the answer is
   * over, or earlier by the returned function.
   * @param bytes expected size in memory
   * @throws RateLimited or Overloaded when too many answers wait already; Refusal when the answer is
   * over
   */
  readonly turn: (kind: AnswerKind, bytes?: number) => Promise<() => void>;
  /** Sets the bytes of the answer that are in memory now. */
  readonly holds: (bytes: number) => void;
};

/** Waits for a turn of work that several answers may share, so that it belongs to none; it is to be left. */
export type WorkTurn = (asker: Asker) => Promise<() => void>;

export type AnswerPlaces = {
  readonly of: (recipient: Recipient, scope: AnswerScope) => AnswerPlace;
  /** @throws QueueFull; the signal's reason */
  readonly ofWork: (kind: AnswerKind) => WorkTurn;
  readonly use: () => AnswerUse;
};

export type AnswerPlacesOptions = {
  readonly limits: Readonly<Record<AnswerKind, AnswerLimits>>;
  /** Called with the time that an answer has waited for its turn. */
  readonly onTurn?: (kind: AnswerKind, waitedMs: number) => void;
};

type Kind = {
  readonly limits: AnswerLimits;
  readonly queue: FairQueue;
  readonly held: HeldBytes;
};
type Kinds = Readonly<Record<AnswerKind, Kind>>;

export function createAnswerPlaces({
  limits,
  onTurn = () => undefined,
}: AnswerPlacesOptions): AnswerPlaces {
  const kinds = Object.fromEntries(
    ANSWER_KINDS.map((kind) => {
      const queue = createFairQueue(limits[kind], (waitedMs) => onTurn(kind, waitedMs));
      return [kind, { limits: limits[kind], queue, held: createHeldBytes() }];
    }),
  ) as Kinds;
  return {
    of: (recipient, scope) => placeOf(kinds, recipient, scope),
    ofWork: (kind) => async (asker) => {
      asker.signal.throwIfAborted();
      const turn = kinds[kind].queue.enter(asker);
      await readyUnlessLeft(turn, asker.signal);
      return () => turn.leave();
    },
    use: () => ({
      kinds: ANSWER_KINDS.map((kind) => ({
        kind,
        running: kinds[kind].queue.running(),
        waiting: kinds[kind].queue.waiting(),
        heldBytes: kinds[kind].held.inAll(),
      })),
    }),
  };
}

function placeOf(kinds: Kinds, recipient: Recipient, scope: AnswerScope): AnswerPlace {
  const { network } = recipient;
  /** Kind and number of the answer's bytes. */
  let own: { readonly kind: AnswerKind; readonly bytes: number } = { kind: "others", bytes: 0 };
  let isOver = false;
  const hold = (kind: AnswerKind, bytes: number): void => {
    // An answer still being made for a disconnected client is ignored.
    if (isOver) return;
    const before = own;
    own = { kind, bytes };
    kinds[before.kind].held.change(network, -before.bytes);
    kinds[kind].held.change(network, bytes);
    if (before.kind !== kind || before.bytes > bytes) kinds[before.kind].queue.admitWaiting();
  };
  scope.own(() => {
    hold(own.kind, 0);
    isOver = true;
  });
  return {
    holds: (bytes) => hold(own.kind, bytes),
    async turn(kind, bytes = 0) {
      const { limits, held } = kinds[kind];
      const { ready, leave } = enter(kind, kinds[kind], recipient, () => {
        if (limits.bytes === null) return true;
        const hasRoom = held.hasRoom(network, bytes, limits.bytes);
        if (hasRoom) hold(kind, own.bytes + bytes);
        return hasRoom;
      });
      scope.own(() => leave(answerOver));
      await ready;
      if (isOver) throw answerOver();
      return () => leave(answerOver);
    },
  };
}

/**
 * Too many exports or uploads of one user are that user's doing (429); other refusals are due to the
 * load (503).
 */
function enter(
  kind: AnswerKind,
  { queue, limits }: Kind,
  recipient: Recipient,
  admit: () => boolean,
): Turn {
  try {
    return queue.enter(recipient, admit);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    if (!error.isOfOne || (kind !== "exports" && kind !== "uploads")) {
      throw new Overloaded("Too many answers are waited for; try again", RETRY_AFTER_SECONDS);
    }
    const text = `Of your ${kind} ${limits.runningOfOne} run and ${limits.waitingOfOne} wait already`;
    throw new RateLimited(RETRY_AFTER_SECONDS, text);
  }
}

/** The places of a gateway's answers, with metrics. */
export function openAnswerPlaces(registry: Registry): AnswerPlaces {
  const observe = createWaitMetric(registry);
  const places = createAnswerPlaces({
    limits: ANSWER_LIMITS,
    // Other answers seldom wait, and measuring them would cost more than it is worth.
    onTurn: (kind, waitedMs) => kind !== "others" && observe(kind, waitedMs),
  });
  registerAnswerUse(registry, places.use);
  return places;
}
