import type { Registry } from "prom-client";
import type { AnswerUse } from "#infra/metrics/answer-metrics.ts";
import { createWaitMetric, registerAnswerUse } from "#infra/metrics/answer-metrics.ts";
import {
  ANSWER_KINDS,
  ANSWER_LIMITS,
  type AnswerKind,
  type AnswerLimits,
  type HeldBounds,
} from "./answer-limits.ts";
import { type AnswerScope, answerOver } from "./answer-scope.ts";
import { createFairQueue, type FairQueue, QueueFull, type Turn } from "./fair-queue.ts";
import { Overloaded, RateLimited } from "./retry-later.ts";

/** Whom an answer is for: places go round by caller, bytes are bounded by network. */
export type Asker = { readonly caller: string; readonly network: string };

/** The place of an answer among all others. */
export type AnswerPlace = {
  /**
   * Waits until it is this answer's turn among those of its kind. It gives its place back when it is over,
   * or sooner by what is returned.
   * @param bytes that it is expected to hold in memory
   * @throws RateLimited, Overloaded where too many wait already; Refusal where the answer is over
   */
  readonly turn: (kind: AnswerKind, bytes?: number) => Promise<() => void>;
  /** Tells how many of its bytes are in memory now. */
  readonly holds: (bytes: number) => void;
};

export type AnswerPlaces = {
  readonly of: (asker: Asker, scope: AnswerScope) => AnswerPlace;
  readonly use: () => AnswerUse;
};

export type AnswerPlacesOptions = {
  readonly limits: Readonly<Record<AnswerKind, AnswerLimits>>;
  /** Told how long an answer has waited for its turn. */
  readonly onTurn?: (kind: AnswerKind, waitedMs: number) => void;
};

/** An answer that waits: what it will hold, and of whose. */
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
      /** Of which kind the answer's bytes are, and how many. */
      let own: { readonly kind: AnswerKind; readonly bytes: number } = { kind: "others", bytes: 0 };
      let isOver = false;
      const hold = (kind: AnswerKind, bytes: number): void => {
        // What is still being made for a client that has left is made for nobody.
        if (isOver) return;
        const before = own;
        own = { kind, bytes };
        kinds[before.kind].held.change(network, -before.bytes);
        kinds[kind].held.change(network, bytes);
        if (before.kind !== kind || before.bytes > bytes) kinds[before.kind].queue.goOn();
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
          const { come, leave } = enter(kind, caller, { network, bytes, take });
          scope.own(() => leave(answerOver));
          await come;
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

/** Of one user's exports and uploads too many are the user's doing; of anything else, the time's. */
function refusal(kind: AnswerKind, limits: AnswerLimits, { isOfOne }: QueueFull): Error {
  const { runningOfOne, waitingOfOne } = limits;
  if (!isOfOne || (kind !== "exports" && kind !== "uploads")) {
    return new Overloaded("Too many answers are waited for; try again", RETRY_AFTER_SECONDS);
  }
  const text = `Of your ${kind} ${runningOfOne} run and ${waitingOfOne} wait already`;
  return new RateLimited(RETRY_AFTER_SECONDS, text);
}

/** Bytes of answers of a kind that are in memory until their clients have taken them, by network. */
type HeldBytes = {
  /** Whether there is room for so many more; for what is alone, there always is. */
  readonly hasRoom: (network: string, bytes: number, bounds: HeldBounds) => boolean;
  /** @param change may be negative */
  readonly change: (network: string, change: number) => void;
  readonly inAll: () => number;
};

function createHeldBytes(): HeldBytes {
  const byNetwork = new Map<string, number>();
  let inAll = 0;
  return {
    hasRoom(network, bytes, bounds) {
      const own = byNetwork.get(network) ?? 0;
      const hasOwn = own === 0 || own + bytes <= bounds.ofOne;
      return hasOwn && (inAll === 0 || inAll + bytes <= bounds.inAll);
    },
    change(network, change) {
      const own = (byNetwork.get(network) ?? 0) + change;
      inAll += change;
      if (own === 0) byNetwork.delete(network);
      else byNetwork.set(network, own);
    },
    inAll: () => inAll,
  };
}

/** The places of a gateway's answers, measured. */
export function openAnswerPlaces(registry: Registry): AnswerPlaces {
  const observe = createWaitMetric(registry);
  const places = createAnswerPlaces({
    limits: ANSWER_LIMITS,
    // Of all others, which seldom wait, it would cost more than it tells.
    onTurn: (kind, waitedMs) => kind !== "others" && observe(kind, waitedMs),
  });
  registerAnswerUse(registry, places.use);
  return places;
}
