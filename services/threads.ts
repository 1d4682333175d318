import { availableParallelism } from "node:os";
import type { QueueLimits } from "#infra/kernel/fair-queue.ts";
import { openThreads, type ThreadKind, type Threads } from "#infra/threads/worker-threads.ts";
import type * as statistics from "./analytics/statistics-worker.ts";
import type * as analytics from "./analytics/worker.ts";
import type * as bulletins from "./bulletins/worker.ts";
import type * as events from "./events/worker.ts";
import type * as exports from "./exports/worker.ts";
import type * as plots from "./gateway/plot-worker.ts";
import type * as imports from "./imports/worker.ts";
import type * as decisions from "./merges/decision-worker.ts";
import type * as merges from "./merges/worker.ts";
import type * as parts from "./parts/worker.ts";
import type * as uploads from "./uploads/worker.ts";
import type * as versions from "./versions/worker.ts";

/** Of three a network has two, of two callers: what takes minutes leaves one to the next caller, and to the next network. */
const OF_EDITORS: QueueLimits = { running: 3, waiting: 1_024, waitingOfOne: 256 };
const OF_ALL: QueueLimits = { running: 3, runningOfGuests: 1, waiting: 512, waitingOfOne: 8 };

/** Without a limit V8 would let young garbage of each grow to 48 MiB; arrays of numbers are none. */
const SMALL_GARBAGE = { maxYoungGenerationSizeMb: 16 };

/**
 * All threads of a gateway. Where a task that is given up ends its thread, its database connection is closed with it, whatever it was doing.
 */
export const THREADS = {
  /** A test of a million magnitudes a hundred times takes a minute. */
  statistics: {
    entry: new URL("./analytics/statistics-worker.ts", import.meta.url),
    queue: OF_ALL,
    heap: SMALL_GARBAGE,
    endsThread: true,
    stuckAfterSeconds: 300,
  } as ThreadKind<typeof statistics>,
  /** It takes a processor and 300 MB for a million events. */
  declustering: {
    entry: new URL("./analytics/worker.ts", import.meta.url),
    queue: OF_ALL,
    heap: SMALL_GARBAGE,
    endsThread: true,
    stuckAfterSeconds: 120,
  } as ThreadKind<typeof analytics>,
  /** As long as a merge of as many events. */
  comparisons: {
    entry: new URL("./analytics/worker.ts", import.meta.url),
    queue: OF_ALL,
    heap: SMALL_GARBAGE,
    endsThread: true,
    stuckAfterSeconds: 300,
  } as ThreadKind<typeof analytics>,
  /** Each reads a whole catalogue. */
  hashes: {
    entry: new URL("./versions/worker.ts", import.meta.url),
    queue: OF_ALL,
    heap: SMALL_GARBAGE,
    endsThread: true,
  } as ThreadKind<typeof versions>,
  /** The largest plot takes a second, and a fraction of this memory. */
  plots: {
    entry: new URL("./gateway/plot-worker.ts", import.meta.url),
    queue: { running: 1, waiting: 256, waitingOfOne: 32 },
    heap: { maxOldGenerationSizeMb: 256 },
    stuckAfterSeconds: 30,
  } as ThreadKind<typeof plots>,
  /**
   * An export mostly waits for its client, while others are written; so do columns, in files. The memory is
   * several times that of the rows and texts of some exports, and twice what a columnar batch needs; without a
   * limit V8 would let garbage grow by tens of MiB before collecting it. A piece of rows takes milliseconds.
   */
  exports: {
    entry: new URL("./exports/worker.ts", import.meta.url),
    queue: { ...OF_EDITORS, running: 512 },
    tasksPerThread: 512,
    heap: { maxOldGenerationSizeMb: 64 },
    stuckAfterSeconds: 30,
  } as ThreadKind<typeof exports>,
  /**
   * The same for what is made of bulletins, one of which may have 64 MiB of JSON: as objects and as the text of a
   * format it takes several times that. A gigabyte of text is written in seconds.
   */
  wholeExports: {
    entry: new URL("./exports/worker.ts", import.meta.url),
    queue: { ...OF_EDITORS, running: 64 },
    tasksPerThread: 64,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
  } as ThreadKind<typeof exports>,
  /** Parts of few rows are written beside those of many. With less memory the garbage of their groups takes most of the time. */
  parts: {
    entry: new URL("./parts/worker.ts", import.meta.url),
    queue: { running: 2, waiting: 2, waitingOfOne: 2 },
    heap: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 160 },
    endsThread: true,
  } as ThreadKind<typeof parts>,
  /** Changes and comparisons of large bulletins, each of two at most: the largest take two seconds. */
  bulletins: {
    entry: new URL("./bulletins/worker.ts", import.meta.url),
    queue: OF_ALL,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
  } as ThreadKind<typeof bulletins>,
  /**
   * Each has one file at a time, so a hostile file that ends its thread ends no other upload. A JSON object of
   * 4 MiB with hundreds of thousands of members takes a second, and a fraction of this memory.
   */
  uploads: {
    entry: new URL("./uploads/worker.ts", import.meta.url),
    queue: OF_EDITORS,
    heap: { maxOldGenerationSizeMb: 512 },
    endsThread: true,
  } as ThreadKind<typeof uploads>,
  /** The envelope is parsed in one step: 100 MB take a second or two. */
  submissions: {
    entry: new URL("./events/worker.ts", import.meta.url),
    // One more than there are processors.
    queue: { ...OF_EDITORS, running: Math.max(3, availableParallelism() + 1) },
  } as ThreadKind<typeof events>,
  /**
   * Each holds the grouping data of all its events. Grouping is a single computation: five million events take
   * two seconds, and each dense run with ten million pairs, the maximum, ten more.
   */
  merges: {
    entry: new URL("./merges/worker.ts", import.meta.url),
    queue: OF_EDITORS,
    endsThread: true,
    stuckAfterSeconds: 300,
  } as ThreadKind<typeof merges>,
  /** 100,000 decisions of two events each take some seconds and 200 MB. */
  decisions: {
    entry: new URL("./merges/decision-worker.ts", import.meta.url),
    queue: OF_ALL,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
  } as ThreadKind<typeof decisions>,
  restores: {
    entry: new URL("./versions/worker.ts", import.meta.url),
    queue: OF_EDITORS,
    endsThread: true,
  } as ThreadKind<typeof versions>,
  /** Each has the bulletin of one event at a time: the largest takes two seconds. */
  conversions: {
    entry: new URL("./events/worker.ts", import.meta.url),
    queue: OF_EDITORS,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
    endsThread: true,
  } as ThreadKind<typeof events>,
  /**
   * An import holds the events of two windows: 60 MiB for ten thousand events of GeoNet. Without a limit V8
   * would let garbage grow to 500 MiB before collecting it.
   */
  imports: {
    entry: new URL("./imports/worker.ts", import.meta.url),
    queue: OF_EDITORS,
    heap: { maxOldGenerationSizeMb: 256, ...SMALL_GARBAGE },
    endsThread: true,
  } as ThreadKind<typeof imports>,
  /** Messages of agencies are few and small, and do not wait until an import has ended. */
  messages: {
    entry: new URL("./imports/worker.ts", import.meta.url),
    queue: { ...OF_EDITORS, running: 8 },
    tasksPerThread: 8,
    heap: { maxOldGenerationSizeMb: 256, ...SMALL_GARBAGE },
  } as ThreadKind<typeof imports>,
};

export type GatewayThreads = Threads<typeof THREADS>;

/** @param databaseUrl for the connections of the threads, each of which opens its own */
export const openGatewayThreads = (databaseUrl: string) => openThreads(THREADS, { databaseUrl });
