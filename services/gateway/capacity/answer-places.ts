import type { Registry } from "prom-client";
import { type Asker, createFairQueue, readyUnlessLeft } from "#infra/kernel/fair-queue.ts";
import { type AnswerUse, createWaitMetric, registerAnswerUse } from "#infra/process/metrics.ts";
import { type AnswerPlace, type Kinds, placeOf, type Recipient } from "./answer-place.ts";
import type { AnswerScope } from "./answer-scope.ts";
import { createHeldBytes } from "./held-bytes.ts";
import { ANSWER_KINDS, ANSWER_LIMITS, type AnswerKind, type AnswerLimits } from "./queue-limits.ts";

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
