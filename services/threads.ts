import { openThreads, type ThreadKind, type Threads } from "#infra/threads/worker-threads.ts";
import type * as statistics from "#services/analytics/statistics-worker.ts";
import type * as comparisons from "#services/analytics/worker.ts";
import type * as declustering from "#services/analytics/worker.ts";
import type * as bulletins from "#services/bulletins/worker.ts";
import type * as conversions from "#services/events/worker.ts";
import type * as submissions from "#services/events/worker.ts";
import type * as imports from "#services/imports/worker.ts";
import type * as decisions from "#services/merges/decision-worker.ts";
import type * as merges from "#services/merges/worker.ts";
import type * as restores from "#services/versions/worker.ts";
import type * as hashes from "#services/versions/worker.ts";
import type * as exports from "./exports/worker.ts";
import type * as plots from "./gateway/plot-worker.ts";
import { THREAD_LIMITS } from "./turns.ts";
import type * as uploads from "./uploads/worker.ts";

/** Without a limit V8 would let young garbage of each grow to 48 MiB; arrays of numbers are none. */
const SMALL_GARBAGE = { maxYoungGenerationSizeMb: 16 };

/**
 * All threads of a gateway; the last member of each says how long its tasks may compute in silence. Where a
 * task that is given up ends its thread, its database connection is closed with it, whatever it was doing.
 */
const THREADS = {
  /** A test of a million magnitudes a hundred times takes a minute. */
  statistics: {
    entry: new URL("./analytics/statistics-worker.ts", import.meta.url),
    queue: THREAD_LIMITS.statistics,
    heap: SMALL_GARBAGE,
    endsThread: true,
    stuckAfterSeconds: 300,
  } as ThreadKind<typeof statistics>,
  /** It takes a processor and 300 MB for a million events. */
  declustering: {
    entry: new URL("./analytics/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.declustering,
    heap: SMALL_GARBAGE,
    endsThread: true,
    stuckAfterSeconds: 120,
  } as ThreadKind<typeof declustering>,
  /** As long as a merge of as many events. */
  comparisons: {
    entry: new URL("./analytics/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.comparisons,
    heap: SMALL_GARBAGE,
    endsThread: true,
    stuckAfterSeconds: 300,
  } as ThreadKind<typeof comparisons>,
  /** Each reads a whole catalogue. */
  hashes: {
    entry: new URL("./versions/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.hashes,
    heap: SMALL_GARBAGE,
    endsThread: true,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof hashes>,
  /** The largest plot takes a second, and a fraction of this memory. */
  plots: {
    entry: new URL("./gateway/plot-worker.ts", import.meta.url),
    queue: THREAD_LIMITS.plots,
    heap: { maxOldGenerationSizeMb: 256 },
    endsThread: false,
    stuckAfterSeconds: 30,
  } as ThreadKind<typeof plots>,
  /**
   * An export mostly waits for its client, while others are written; so do columns, in files. The memory is
   * several times that of the rows and texts of some exports, and twice what a columnar batch needs; without a
   * limit V8 would let garbage grow by tens of MiB before collecting it. A piece of rows takes milliseconds.
   */
  exports: {
    entry: new URL("./exports/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.exports,
    tasksPerThread: 512,
    heap: { maxOldGenerationSizeMb: 64 },
    endsThread: false,
    stuckAfterSeconds: 30,
  } as ThreadKind<typeof exports>,
  /**
   * The same for what is made of bulletins, one of which may have 64 MiB of JSON: as objects and as the text of a
   * format it takes several times that. A gigabyte of text is written in seconds.
   */
  wholeExports: {
    entry: new URL("./exports/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.wholeExports,
    tasksPerThread: 64,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
    endsThread: false,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof exports>,
  /** Changes and comparisons of large bulletins, each of two at most: the largest take two seconds. */
  bulletins: {
    entry: new URL("./bulletins/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.bulletins,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
    endsThread: false,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof bulletins>,
  /**
   * Each has one file at a time, so a hostile file that ends its thread ends no other upload. A JSON object of
   * 4 MiB with hundreds of thousands of members takes a second, and a fraction of this memory.
   */
  uploads: {
    entry: new URL("./uploads/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.uploads,
    heap: { maxOldGenerationSizeMb: 512 },
    endsThread: true,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof uploads>,
  /** The envelope is parsed in one step: 100 MB take a second or two. */
  submissions: {
    entry: new URL("./events/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.submissions,
    endsThread: false,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof submissions>,
  /**
   * Each holds the grouping data of all its events. Grouping is a single computation: five million events take
   * two seconds, and each dense run with ten million pairs, the maximum, ten more.
   */
  merges: {
    entry: new URL("./merges/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.merges,
    endsThread: true,
    stuckAfterSeconds: 300,
  } as ThreadKind<typeof merges>,
  /** 100,000 decisions of two events each take some seconds and 200 MB. */
  decisions: {
    entry: new URL("./merges/decision-worker.ts", import.meta.url),
    queue: THREAD_LIMITS.decisions,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
    endsThread: false,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof decisions>,
  restores: {
    entry: new URL("./versions/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.restores,
    endsThread: true,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof restores>,
  /** Each has the bulletin of one event at a time: the largest takes two seconds. */
  conversions: {
    entry: new URL("./events/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.conversions,
    heap: { maxOldGenerationSizeMb: 2_048, ...SMALL_GARBAGE },
    endsThread: true,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof conversions>,
  /**
   * An import holds the events of two windows: 60 MiB for ten thousand events of GeoNet. Without a limit V8
   * would let garbage grow to 500 MiB before collecting it.
   */
  imports: {
    entry: new URL("./imports/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.imports,
    heap: { maxOldGenerationSizeMb: 256, ...SMALL_GARBAGE },
    endsThread: true,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof imports>,
  /** Messages of agencies are few and small, and do not wait until an import has ended. */
  messages: {
    entry: new URL("./imports/worker.ts", import.meta.url),
    queue: THREAD_LIMITS.messages,
    tasksPerThread: 8,
    heap: { maxOldGenerationSizeMb: 256, ...SMALL_GARBAGE },
    endsThread: false,
    stuckAfterSeconds: 60,
  } as ThreadKind<typeof imports>,
};

export type GatewayThreads = Threads<typeof THREADS>;

export const openGatewayThreads = () => openThreads(THREADS);
