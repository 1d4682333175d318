import { setTimeout as delay } from "node:timers/promises";
import { memoryOf } from "../support/process-figures.ts";
import { COMPLAINTS, type Complaint } from "./judge.ts";

export type FuzzReport = {
  readonly requests: number;
  /** Requests of each kind, by status. */
  readonly statuses: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly complaints: ReadonlyMap<Complaint, number>;
  /** The first requests that were complained of, in sentences. */
  readonly examples: readonly string[];
  /** Requests refused because the service was busy. */
  readonly shed: number;
  readonly memory: MemoryReport;
  /** Why the service did not last, in sentences. */
  readonly ends: readonly string[];
};

const KEPT_EXAMPLES = 40;

export type Tally = {
  readonly count: (kind: string, status: string) => void;
  readonly shed: () => void;
  readonly complain: (complaint: Complaint, example: string) => void;
  readonly requests: () => number;
  readonly read: () => Pick<
    FuzzReport,
    "requests" | "statuses" | "complaints" | "examples" | "shed"
  >;
};

export function createTally(): Tally {
  const statuses = new Map<string, Map<string, number>>();
  const complaints = new Map<Complaint, number>(COMPLAINTS.map((complaint) => [complaint, 0]));
  const examples: string[] = [];
  const seen = new Map<string, number>();
  let requests = 0;
  let shed = 0;
  return {
    count(kind, status) {
      requests += 1;
      const own = statuses.get(kind) ?? new Map<string, number>();
      own.set(status, (own.get(status) ?? 0) + 1);
      statuses.set(kind, own);
    },
    shed: () => {
      shed += 1;
    },
    complain(complaint, example) {
      complaints.set(complaint, (complaints.get(complaint) ?? 0) + 1);
      // A fault that is met a thousand times is one fault.
      const alike = `${complaint} ${example.split(" ", 4).join(" ")}`;
      const times = (seen.get(alike) ?? 0) + 1;
      seen.set(alike, times);
      if (times <= 2 && examples.length < KEPT_EXAMPLES) examples.push(`${complaint}: ${example}`);
    },
    requests: () => requests,
    read: () => ({ requests, statuses, complaints, examples, shed }),
  };
}

/** True where the service has passed. */
export function isPassed({ complaints, memory, ends }: FuzzReport): boolean {
  return (
    [...complaints.values()].every((count) => count === 0) && memory.isFlat && ends.length === 0
  );
}

/** Resident set of the service, MiB. */
type MemoryReport = {
  /** Once it had answered requests for a while. */
  readonly start: number;
  readonly peak: number;
  /** After a pause at the end. */
  readonly end: number;
  readonly isFlat: boolean;
};

const EVERY_MS = 1_000;
/** What the end may lie above the start: code that is compiled by then, and garbage. */
const SHARE = 1.25;
const ROOM_MIB = 64;

/**
 * Watches a process from `warmMs` on until it is asked for its report. The start is the highest of the
 * first half of a minute: it is where a heap in use levels out.
 */
export function watchMemory(
  pid: number,
  warmMs: number,
): { readonly report: (pauseMs: number) => Promise<MemoryReport> } {
  const samples: number[] = [];
  const ending = new AbortController();
  // A process that has ended by itself is told of elsewhere.
  const look = async (): Promise<number> => {
    const size = await memoryOf(pid).catch(() => 0);
    samples.push(size);
    return size;
  };
  const watching = (async () => {
    await delay(warmMs, undefined, { signal: ending.signal }).catch(() => {});
    while (!ending.signal.aborted) {
      await look();
      await delay(EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    async report(pauseMs) {
      ending.abort();
      await watching;
      await delay(pauseMs);
      const end = await look();
      const start = Math.max(...samples.slice(0, 30));
      const peak = Math.max(...samples);
      return { start, peak, end, isFlat: end <= start * SHARE + ROOM_MIB };
    },
  };
}
