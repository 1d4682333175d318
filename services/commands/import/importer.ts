import { type ImportTally, NOTHING_IMPORTED } from "#contracts/import-run.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import { type ChunkStream, chunksOf } from "../chunk-stream.ts";
import type * as tasks from "./import-worker.ts";
import type { AgencyOptions, ImportEnd, ImportNews, ImportTask } from "./import-worker.ts";
import { type AgencyGate, createGateKeeper } from "./remote-breaker.ts";

export type ImportProgress = {
  readonly windows: ImportNews["windows"];
  readonly tally: ImportTally;
};

/** A running import; its changes come as chunks, its end has the result or the agency's failure. */
export type RunningImport = ChunkStream<ImportEnd>;

/** Imports in worker threads, each with its own database connection. */
export type Importer = {
  /** The agency's name. */
  readonly agency: string;
  /**
   * Passes the changes to `use`, in chunks.
   * @throws the signal's reason; errors of `use`
   */
  readonly run: <T>(
    task: Pick<ImportTask, "query" | "target" | "nowMs">,
    run: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: ImportProgress) => void;
    },
    use: (running: RunningImport) => Promise<T>,
  ) => Promise<T>;
  readonly close: () => Promise<void>;
};

export type ImporterOptions = {
  readonly databaseUrl: string;
  readonly agency: AgencyOptions;
  /** Shared by all imports of this process. */
  readonly gate: AgencyGate;
};

/** Concurrent imports; others wait. The agency gets at most two requests at a time in all. */
const MAX_IMPORTS = 2;
/**
 * An import holds the events of two windows: 60 MiB for ten thousand events of GeoNet. Without a
 * limit V8 would let garbage grow to 500 MiB before collecting it.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const STUCK_AFTER_SECONDS = 60;

export function createImporter({ databaseUrl, agency, gate }: ImporterOptions): Importer {
  const workers = createWorkerThreads<typeof tasks>({
    entry: new URL("./import-worker.ts", import.meta.url),
    maxThreads: MAX_IMPORTS,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
  });
  return {
    agency: agency.name,
    run: async (given, { signal, onProgress }, use) => {
      const task: ImportTask = { ...given, databaseUrl, agency };
      const answer = createGateKeeper(gate);
      const items = workers.stream("streamImported", task, { signal, answer, endsThread: true });
      let progress: ImportProgress = { windows: { done: 0, total: 0 }, tally: NOTHING_IMPORTED };
      const follow = (next: ImportProgress): void => {
        progress = next;
        onProgress(progress);
      };
      const { chunks, end } = chunksOf(items, ({ news: { windows, tally } }) => {
        const errors = [...progress.tally.errors, ...tally.errors];
        follow({ windows, tally: { ...tally, errors } });
      });
      const ended = async (): Promise<ImportEnd> => {
        const result = await end();
        follow({ ...progress, tally: result.tally });
        return result;
      };
      try {
        return await use({ chunks, end: ended });
      } finally {
        await items.return(undefined as never);
      }
    },
    close: () => workers.close(),
  };
}
