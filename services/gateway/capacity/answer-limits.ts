import type { QueueLimits } from "#infra/kernel/queue-counts.ts";

const MIB = 1024 * 1024;

/**
 * Exports; uploads; pages of more than a thousand events; parts of walks to a page by number;
 * everything else.
 */
export const ANSWER_KINDS = ["exports", "uploads", "pages", "walks", "others"] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** Limits of the bytes that answers of a kind hold at once. */
export type HeldBounds = {
  /** For answers to one network. */
  readonly ofOne: number;
  readonly inAll: number;
};

export type AnswerLimits = QueueLimits & {
  /**
   * Beyond them an answer waits until others have been read by their clients; null for kinds that
   * hold nothing.
   */
  readonly bytes: HeldBounds | null;
};

/** Concurrent exports for slow clients, each with a database connection and a task in a thread. */
export const MAX_EXPORTS = 8;

const FOUR_OF_ONE = { runningOfOne: 4, waitingOfOne: 12 };
const UNBOUNDED: HeldBounds = {
  ofOne: Number.POSITIVE_INFINITY,
  inAll: Number.POSITIVE_INFINITY,
};

/**
 * One page at a time keeps the main thread busy; two would double the wait of small answers. Bytes
 * are bounded per kind, so a network's waiting large pages do not delay its small answers. One walk at
 * a time leaves the database to other requests.
 */
export const ANSWER_LIMITS: Readonly<Record<AnswerKind, AnswerLimits>> = {
  exports: { running: MAX_EXPORTS, waiting: 256, ...FOUR_OF_ONE, bytes: UNBOUNDED },
  uploads: { running: 64, waiting: 256, ...FOUR_OF_ONE, bytes: UNBOUNDED },
  pages: {
    running: 1,
    waiting: 1_024,
    runningOfOne: 1,
    waitingOfOne: 256,
    bytes: { ofOne: 32 * MIB, inAll: 128 * MIB },
  },
  walks: { running: 1, waiting: 1_024, runningOfOne: 1, waitingOfOne: 256, bytes: null },
  others: {
    running: Number.POSITIVE_INFINITY,
    waiting: 4_096,
    runningOfOne: Number.POSITIVE_INFINITY,
    waitingOfOne: 1_024,
    bytes: { ofOne: 32 * MIB, inAll: Number.POSITIVE_INFINITY },
  },
};
