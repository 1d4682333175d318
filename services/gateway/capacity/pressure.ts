import { getHeapStatistics } from "node:v8";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import { memoryLimit, readMemory } from "#infra/lifecycle/memory.ts";
import { Overloaded } from "./retry-later.ts";

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

/**
 * Refuses requests while the process is overloaded, so that accepted ones can finish. Probes (rate
 * class `none`: health, readiness, metrics) are always answered.
 */
export async function registerPressure(
  app: FastifyInstance,
  limits: PressureLimits,
): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: limits.eventLoopDelayMs,
    maxHeapUsedBytes: limits.heapBytes,
    maxEventLoopUtilization: limits.eventLoopUtilisation,
    eventLoopUtilizationMode: "interval",
    sampleInterval: limits.sampleMs,
    healthCheck: async () => readMemory().resident <= limits.residentBytes,
    healthCheckInterval: limits.sampleMs,
    pressureHandler: async ({ routeOptions }, _reply, type) => {
      if (routeOptions.config.operation?.rate === "none") return;
      const { eventLoopDelay } = app.memoryUsage();
      if (type === "eventLoopUtilization" && eventLoopDelay <= limits.busyDelayMs) return;
      throw new Overloaded();
    },
  });
}
