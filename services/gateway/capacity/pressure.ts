import { getHeapStatistics } from "node:v8";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import { memoryLimit, readMemory } from "#infra/lifecycle/memory.ts";
import { Overloaded } from "./retry-later.ts";

/** Beyond one of them requests are shed; each is looked at once per `sampleMs`. */
export type PressureLimits = {
  /** Mean time that the event loop comes late in a sample, ms. */
  readonly eventLoopDelayMs: number;
  readonly heapBytes: number;
  /** Resident, buffers included. */
  readonly residentBytes: number;
  /** Share of a sample, 0 to 1, that the event loop worked; counts only together with the next. */
  readonly eventLoopUtilisation: number;
  /** A busy loop that is punctual serves everybody: only with this mean delay is it too busy, ms. */
  readonly busyDelayMs: number;
  readonly sampleMs: number;
};

/**
 * Measured on two cores that also ran the database and the clients, while four of these created
 * catalogues of 100,000 events and eight read: samples had a mean delay of up to 51 ms, a
 * utilisation of up to 1.00 and single pauses of up to 0.5 s; nothing was shed. A sample is longer
 * than such a pause, because one that a pause fills counts as an endless delay. The heap limit lies
 * above the 90 % where readiness already asks for no more requests, and so does that of the resident set.
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
 * Refuses requests while the process is overloaded, so that those it has taken come to an end. What
 * watches it (rate class `none`: health, readiness, metrics) is always answered.
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
