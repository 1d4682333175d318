import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { FastifyInstance } from "fastify";
import { type Memory, memoryLimit, readMemory } from "#infra/process/memory.ts";
import { Overloaded } from "../errors.ts";

/** Requests are shed beyond any of these limits; each is checked once per `sampleMs`. */
export type PressureLimits = {
  /** Mean delay of the event loop in a sample, ms. */
  readonly eventLoopDelayMs: number;
  readonly heapBytes: number;
  /** Resident memory, including buffers. */
  readonly residentBytes: number;
  /** Utilisation of the event loop in a sample, 0 to 1; counts only together with the next limit. */
  readonly eventLoopUtilisation: number;
  /** A busy loop without delays serves all requests; it is overloaded only beyond this mean delay, ms. */
  readonly busyDelayMs: number;
  readonly sampleMs: number;
};

/**
 * Measured on two cores that also ran the database and the clients, while four of these created
 * catalogues of 100,000 events and eight read: samples had a mean delay of up to 51 ms, a
 * utilisation of up to 1.00 and single pauses of up to 0.5 s; nothing was shed. A sample is longer
 * than such a pause, because a sample filled by a pause counts as an endless delay. The limits of
 * heap and resident memory lie above the 90 % at which readiness already asks for no more requests.
 */
export const PRESSURE: PressureLimits = {
  eventLoopDelayMs: 500,
  heapBytes: 0.95 * getHeapStatistics().heap_size_limit,
  residentBytes: 0.95 * memoryLimit(),
  eventLoopUtilisation: 0.98,
  busyDelayMs: 150,
  sampleMs: 2_000,
};

/** What of the process its last sample shows beyond a limit, for operators; null where nothing is. */
export type Pressure = () => string | null;

/**
 * Refuses requests while the process is overloaded, so that accepted ones can finish. Probes (rate
 * class `none`: health, readiness, metrics) are always answered. Samples begin when the application is
 * ready: the work of its start is no load.
 */
export function registerPressure(app: FastifyInstance, limits: PressureLimits): Pressure {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let loop = performance.eventLoopUtilization();
  let excess: string | null = null;
  let timer: NodeJS.Timeout | undefined;

  function sample(): void {
    // A sample without a measurement is one long delay.
    const delayMs = delays.count === 0 ? Infinity : delays.mean / 1e6 - RESOLUTION_MS;
    delays.reset();
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, loop);
    loop = now;
    excess = excessOf({ delayMs, utilization, ...readMemory() }, limits);
  }

  app.addHook("onReady", async () => {
    delays.enable();
    loop = performance.eventLoopUtilization();
    timer = setInterval(sample, limits.sampleMs).unref();
  });
  app.addHook("onClose", async () => {
    clearInterval(timer);
    delays.disable();
  });
  app.addHook("onRequest", async ({ routeOptions }) => {
    if (excess !== null && routeOptions.config.operation?.rate !== "none") throw new Overloaded();
  });
  return () => excess;
}

const RESOLUTION_MS = 10;

type Sample = Pick<Memory, "heap" | "resident"> & {
  readonly delayMs: number;
  readonly utilization: number;
};

export function excessOf(
  { delayMs, utilization, heap, resident }: Sample,
  limits: PressureLimits,
): string | null {
  const isBusy = utilization > limits.eventLoopUtilisation && delayMs > limits.busyDelayMs;
  if (delayMs > limits.eventLoopDelayMs || isBusy) return "the event loop is late";
  if (heap > limits.heapBytes) return "the heap is full";
  return resident > limits.residentBytes ? "the resident memory is at its limit" : null;
}
