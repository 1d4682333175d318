import { MIB } from "#contracts/units.ts";
import type { QueueLimits } from "#infra/kernel/queue-counts.ts";

/**
 * Exports; columns of the map; uploads; pages of more than a thousand events; analyses; everything
 * else.
 */
export const ANSWER_KINDS = [
  "exports",
  "columns",
  "uploads",
  "pages",
  "analyses",
  "others",
] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** Limits of the bytes that answers of a kind hold at once, in memory or in files. */
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
const MAX_EXPORTS = 12;
/** Columns are read from the database faster than any client takes them, and wait for it in a file. */
const MAX_COLUMNS = 4;
/** For exports and columns. */
export const EXPORT_CONNECTIONS = MAX_EXPORTS + MAX_COLUMNS;

const FOUR_OF_ONE = { runningOfOne: 4, waitingOfOne: 12 };
/** One at a time. */
const BY_ONE = { running: 1, waiting: 1_024, runningOfOne: 1 };
const UNBOUNDED: HeldBounds = {
  ofOne: Number.POSITIVE_INFINITY,
  inAll: Number.POSITIVE_INFINITY,
};

/**
 * One page at a time keeps the main thread busy; two would double the wait of small answers. Bytes
 * are bounded per kind, so a network's waiting large pages do not delay its small answers. One analysis
 * at a time leaves the database to other requests. Exports keep their places as long as
 * their clients read, so no network takes the last free ones.
 */
export const ANSWER_LIMITS: Readonly<Record<AnswerKind, AnswerLimits>> = {
  exports: {
    running: MAX_EXPORTS,
    waiting: 256,
    ...FOUR_OF_ONE,
    sharesFree: true,
    bytes: UNBOUNDED,
  },
  columns: {
    running: MAX_COLUMNS,
    waiting: 256,
    runningOfOne: 2,
    waitingOfOne: 64,
    bytes: { ofOne: 256 * MIB, inAll: 4_096 * MIB },
  },
  uploads: { running: 64, waiting: 256, ...FOUR_OF_ONE, bytes: UNBOUNDED },
  pages: { ...BY_ONE, waitingOfOne: 256, bytes: { ofOne: 32 * MIB, inAll: 128 * MIB } },
  analyses: { ...BY_ONE, waitingOfOne: 64, bytes: null },
  others: {
    running: Number.POSITIVE_INFINITY,
    waiting: 4_096,
    runningOfOne: Number.POSITIVE_INFINITY,
    waitingOfOne: 1_024,
    bytes: { ofOne: 32 * MIB, inAll: Number.POSITIVE_INFINITY },
  },
};
