import { type Asker, type FairQueue, QueueFull, type Turn } from "#infra/kernel/fair-queue.ts";
import { type AnswerScope, answerOver } from "./answer-scope.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { AnswerKind, AnswerLimits } from "./queue-limits.ts";
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

type Kind = {
  readonly limits: AnswerLimits;
  readonly queue: FairQueue;
  readonly held: HeldBytes;
};
export type Kinds = Readonly<Record<AnswerKind, Kind>>;

export function placeOf(kinds: Kinds, recipient: Recipient, scope: AnswerScope): AnswerPlace {
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
      const { ready, leave } = enter(kind, kinds[kind].queue, recipient, () => {
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
  queue: FairQueue,
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
    const text = `Too many ${kind} of yours, or of your network, wait already`;
    throw new RateLimited(RETRY_AFTER_SECONDS, text);
  }
}
