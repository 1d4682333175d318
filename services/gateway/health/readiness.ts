import type { ReadinessCheck, ReadinessReport } from "#contracts/http/service.ts";
import type { Pressure } from "../capacity/pressure.ts";

export type Check = () => Promise<Omit<ReadinessCheck, "name">>;

/** The checks in the order of the report (`contracts/docs/administration.md`, Health). */
export type Checks = Readonly<Record<string, Check>>;

/** A check that exceeds this time has failed. */
const CHECK_TIMEOUT_MS = 5_000;

/** Runs all checks at once; ready when every one is healthy. */
export async function readiness(checks: Checks, now: () => Date): Promise<ReadinessReport> {
  const started = performance.now();
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, ...(await settle(check)) })),
  );
  const ready = results.every(({ status }) => status === "healthy");
  return {
    status: ready ? "ready" : "not_ready",
    timestamp: now().toISOString(),
    checks: results,
    responseTime: `${Math.round(performance.now() - started)}ms`,
  };
}

/** Unhealthy while requests are shed: what else comes is better sent elsewhere. */
export function pressureCheck(shedding: Pressure): Check {
  return async () => {
    const excess = shedding();
    if (excess === null) return { status: "healthy" };
    return { status: "unhealthy", message: `Requests are shed: ${excess}` };
  };
}

/** Times a probe: healthy when it resolves, unhealthy when it throws; the cause is only logged. */
export function probe(
  run: () => Promise<unknown>,
  failure: string | ((error: unknown) => string),
): Check {
  return async () => {
    const started = performance.now();
    const responseTime = () => Math.round(performance.now() - started);
    try {
      await run();
      return { status: "healthy", responseTime: responseTime() };
    } catch (error) {
      const message = typeof failure === "string" ? failure : failure(error);
      return { status: "unhealthy", message, responseTime: responseTime() };
    }
  };
}

async function settle(check: Check): Promise<Omit<ReadinessCheck, "name">> {
  const { promise: timedOut, resolve } = Promise.withResolvers<Omit<ReadinessCheck, "name">>();
  const timer = setTimeout(
    () => resolve({ status: "unhealthy", message: "The check did not end in time" }),
    CHECK_TIMEOUT_MS,
  );
  try {
    return await Promise.race([check(), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
