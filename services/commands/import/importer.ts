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

/** A running import; its changes come as chunks. */
export type RunningImport = {
  /** Can be read once. */
  readonly chunks: AsyncGenerator<EncodedChunk>;
  /** The result, or why the agency failed, after the last chunk. */
  readonly end: () => Promise<ImportEnd>;
};

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
        // Ends the thread immediately, including its requests and queries.
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
 * Combines the worker's news. Its result comes over another port, so earlier news may arrive after
 * it.
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
