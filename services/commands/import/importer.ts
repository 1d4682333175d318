import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type ImportTally, NOTHING_IMPORTED } from "#contracts/import-run.ts";
import type { EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { createWorkerThreads } from "#infra/threads/pool.ts";
import { receiveChunks } from "../chunk-port.ts";
import { type AgencyGate, serveGate } from "./gate-port.ts";
import type {
  AgencyOptions,
  ImportEnd,
  ImportNews,
  ImportPorts,
  ImportTask,
  streamImported,
} from "./import-worker.ts";

export type ImportProgress = {
  readonly windows: ImportNews["windows"];
  readonly tally: ImportTally;
};

/** An import that has begun; what is new or different comes as chunks. */
export type RunningImport = {
  /** To be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** What was imported, or why the agency failed, once the chunks are through. */
  readonly end: () => Promise<ImportEnd>;
};

/** Imports in worker threads, each on a database connection of its own. */
export type Importer = {
  /** The name of the agency. */
  readonly agency: string;
  /**
   * Gives `use` the changes in chunks.
   * @throws the signal's reason; whatever `use` throws
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
  /** Of all imports of this process. */
  readonly gate: AgencyGate;
};

/** Imports that run at once; others wait. The agency takes two requests at once in all. */
const MAX_IMPORTS = 2;
/**
 * An import holds the events of two windows, 60 MiB at ten thousand events of GeoNet's. Without a limit
 * V8 lets garbage pile up to 500 MiB before it looks for any.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const STUCK_AFTER_SECONDS = 60;
const IMPORT = "streamImported" satisfies (typeof streamImported)["name"];

export function createImporter({ databaseUrl, agency, gate }: ImporterOptions): Importer {
  const workers = createWorkerThreads({
    entry: new URL("./import-worker.ts", import.meta.url),
    maxThreads: MAX_IMPORTS,
    stuckAfterSeconds: STUCK_AFTER_SECONDS,
    resourceLimits: HEAP_LIMITS,
  });
  return {
    agency: agency.name,
    run: async (given, { signal, onProgress }, use) => {
      signal.throwIfAborted();
      const leaving = new AbortController();
      const [chunks, gatePort, news] = [channel(), channel(), channel()];
      const own = [chunks.port1, gatePort.port1, news.port1];
      const ports: ImportPorts = {
        chunks: chunks.port2,
        gate: gatePort.port2,
        news: news.port2,
      };
      serveGate(gatePort.port1, gate);
      const progress = hear(news.port1, onProgress);
      const task: ImportTask & ImportPorts = { ...given, ...ports, databaseUrl, agency };
      const result: Promise<ImportEnd> = workers.run(task, {
        name: IMPORT,
        transferList: Object.values(ports),
        // Ends the thread in the middle of whatever it does, requests and queries included.
        signal: AbortSignal.any([signal, leaving.signal]),
      });
      try {
        const received = await receiveChunks(chunks.port1, result);
        const end = async (): Promise<ImportEnd> => {
          const ended = await result;
          progress.end(ended.tally);
          return ended;
        };
        return await use({ chunks: received.chunks, end });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        leaving.abort();
        for (const port of own) port.close();
        await result.catch(() => {});
      }
    },
    close: () => workers.close(),
  };
}

function channel(): MessageChannel {
  return new MessageChannel();
}

/**
 * Puts together what the worker tells piece by piece. Its end comes over another port: what it has
 * told before may come after.
 */
function hear(
  port: MessagePort,
  onProgress: (progress: ImportProgress) => void,
): { readonly end: (tally: ImportTally) => void } {
  let windows: ImportProgress["windows"] = { done: 0, total: 0 };
  let { errors } = NOTHING_IMPORTED;
  let ended = false;
  port.on("message", (news: ImportNews) => {
    if (ended) return;
    windows = news.windows;
    if (news.tally.errors.length > 0) errors = [...errors, ...news.tally.errors];
    onProgress({ windows, tally: { ...news.tally, errors } });
  });
  return {
    end: (tally) => {
      ended = true;
      onProgress({ windows, tally });
    },
  };
}
