import type { AnswerUse } from "#infra/metrics/answer-metrics.ts";
import { Overloaded } from "../plugins/pressure.ts";
import { RateLimited } from "../plugins/rate-limited.ts";
import { ANSWER_KINDS, type AnswerKind, type AnswerLimits } from "./answer-limits.ts";
import { type AnswerScope, answerOver } from "./answer-scope.ts";
import { createFairQueue, type FairQueue, QueueFull, type Turn } from "./fair-queue.ts";
import { createHeldBytes, type HeldBytes } from "./held-bytes.ts";

/** Whom an answer is for: places go round by caller, bytes are bounded by network. */
export type Asker = { readonly caller: string; readonly network: string };

/** The place of an answer among all others. */
export type AnswerPlace = {
  /**
   * Waits until it is this answer's turn among those of its kind. It gives its place back when it is over,
   * or sooner by what is returned.
   * @param bytes that it is expected to hold in memory
   * @throws RateLimited, Overloaded where too many wait already; ApiError where the answer is over
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
          scope.own(() => leave(answerOver()));
          await come;
          if (isOver) throw answerOver();
          return () => leave(answerOver());
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
