import { availableParallelism } from "node:os";
import { MIB } from "#contracts/units.ts";
import type { QueueLimits } from "#infra/kernel/fair-queue.ts";
import { LONG_READS } from "#projections/read/walk.ts";

/**
 * Exports; columns of the map; uploads; pages of more than a thousand events; searches and counts that may read many
 * rows; analyses; everything else.
 */
export const ANSWER_KINDS = [
  "exports",
  "columns",
  "uploads",
  "pages",
  "searches",
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

/** One at a time. */
const BY_ONE = { running: 1, waiting: 1_024 };
const PAGE_BYTES: HeldBounds = { ofOne: 32 * MIB, inAll: 128 * MIB };
const UNBOUNDED: HeldBounds = {
  ofOne: Number.POSITIVE_INFINITY,
  inAll: Number.POSITIVE_INFINITY,
};

/**
 * All queues of a gateway are in this table and the next; what one caller and one network may have at once follows
 * from what all may have (`createQueueCounts`). One page at a time keeps the main thread busy; two would double the
 * wait of small answers. Bytes are bounded per kind, so a network's waiting large pages do not delay its small
 * answers. One analysis at a time leaves the database to other requests.
 */
export const ANSWER_LIMITS: Readonly<Record<AnswerKind, AnswerLimits>> = {
  exports: { running: MAX_EXPORTS, waiting: 256, waitingOfOne: 12, bytes: UNBOUNDED },
  columns: {
    running: MAX_COLUMNS,
    waiting: 256,
    waitingOfOne: 64,
    bytes: { ofOne: 256 * MIB, inAll: 4_096 * MIB },
  },
  uploads: {
    running: 64,
    runningOfNetwork: 8,
    waiting: 256,
    waitingOfOne: 12,
    bytes: UNBOUNDED,
  },
  pages: { ...BY_ONE, waitingOfOne: 256, bytes: PAGE_BYTES },
  searches: {
    running: LONG_READS.searches,
    waiting: 1_024,
    waitingOfOne: 64,
    bytes: PAGE_BYTES,
  },
  analyses: { ...BY_ONE, waitingOfOne: 64, bytes: null },
  others: {
    running: Number.POSITIVE_INFINITY,
    waiting: 4_096,
    waitingOfOne: 1_024,
    bytes: { ofOne: 32 * MIB, inAll: Number.POSITIVE_INFINITY },
  },
};

/** Of three a network has two, of two callers: what takes minutes leaves one to the next caller, and to the next network. */
const OF_EDITORS: QueueLimits = { running: 3, waiting: 1_024, waitingOfOne: 256 };
const OF_ALL: QueueLimits = { running: 3, runningOfGuests: 1, waiting: 512, waitingOfOne: 8 };

/** Of the threads of a gateway, by kind (`gateway-threads`). */
export const THREAD_LIMITS = {
  statistics: OF_ALL,
  declustering: OF_ALL,
  comparisons: OF_ALL,
  hashes: OF_ALL,
  plots: { running: 1, waiting: 256, waitingOfOne: 32 },
  exports: { ...OF_EDITORS, running: 512 },
  wholeExports: { ...OF_EDITORS, running: 64 },
  bulletins: OF_ALL,
  uploads: OF_EDITORS,
  /** One more than there are processors. */
  submissions: { ...OF_EDITORS, running: Math.max(3, availableParallelism() + 1) },
  merges: OF_EDITORS,
  decisions: OF_ALL,
  restores: OF_EDITORS,
  conversions: OF_EDITORS,
  imports: OF_EDITORS,
  messages: { ...OF_EDITORS, running: 8 },
} as const satisfies Readonly<Record<string, QueueLimits>>;
