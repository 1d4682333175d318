import type { Registry } from "prom-client";
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
import { createFairQueue, type FairQueue, QueueFull, type Turn } from "./fair-queue.ts";
import { createHeldBytes, type HeldBytes } from "./held-bytes.ts";
import { Overloaded, RateLimited } from "./retry-later.ts";

/** The recipient of an answer: turns rotate by caller, bytes are bounded by network. */
export type Asker = { readonly caller: string; readonly network: string };

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

export type AnswerPlaces = {
  readonly of: (asker: Asker, scope: AnswerScope) => AnswerPlace;
  readonly use: () => AnswerUse;
};

export type AnswerPlacesOptions = {
  readonly limits: Readonly<Record<AnswerKind, AnswerLimits>>;
  /** Called with the time that an answer has waited for its turn. */
  readonly onTurn?: (kind: AnswerKind, waitedMs: number) => void;
};

/** A waiting answer: its network and expected size. */
type Item = { readonly network: string; readonly bytes: number; readonly take: () => void };

const RETRY_AFTER_SECONDS = 10;

export function createAnswerPlaces({
  limits,
  onTurn = () => undefined,
}: AnswerPlacesOptions): AnswerPlaces {
  const kinds = Object.fromEntries(
    ANSWER_KINDS.map((kind) => {
      const { bytes: bounds, ...queueLimits } = limits[kind];
      const held = createHeldBytes();
      const queue = createFairQueue<Item>({
        limits: queueLimits,
        admit: ({ network, bytes, take }) => {
          const hasRoom = bounds === null || held.hasRoom(network, bytes, bounds);
          if (hasRoom) take();
          return hasRoom;
        },
        onTurn: (waitedMs) => onTurn(kind, waitedMs),
      });
      return [kind, { queue, held }];
    }),
  ) as Record<AnswerKind, { readonly queue: FairQueue<Item>; readonly held: HeldBytes }>;

  function enter(kind: AnswerKind, caller: string, item: Item): Turn {
    try {
      return kinds[kind].queue.enter(caller, item);
    } catch (error) {
      throw error instanceof QueueFull ? refusal(kind, limits[kind], error) : error;
    }
  }

  return {
    of({ caller, network }, scope) {
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
      const holds = (bytes: number): void => hold(own.kind, bytes);
      scope.own(() => {
        holds(0);
        isOver = true;
      });
      return {
        holds,
        async turn(kind, bytes = 0) {
          const take = (): void => {
            if (limits[kind].bytes !== null) hold(kind, own.bytes + bytes);
          };
          const { ready, leave } = enter(kind, caller, { network, bytes, take });
          scope.own(() => leave(answerOver));
          await ready;
          if (isOver) throw answerOver();
          return () => leave(answerOver);
        },
      };
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

/**
 * Too many exports or uploads of one user are that user's doing (429); other refusals are due to the
 * load (503).
 */
function refusal(kind: AnswerKind, limits: AnswerLimits, { isOfOne }: QueueFull): Error {
  const { runningOfOne, waitingOfOne } = limits;
  if (!isOfOne || (kind !== "exports" && kind !== "uploads")) {
    return new Overloaded("Too many answers are waited for; try again", RETRY_AFTER_SECONDS);
  }
  const text = `Of your ${kind} ${runningOfOne} run and ${waitingOfOne} wait already`;
  return new RateLimited(RETRY_AFTER_SECONDS, text);
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
