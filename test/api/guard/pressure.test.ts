import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test, vi } from "vitest";
import { excessOf, PRESSURE } from "#services/gateway/capacity/pressure.ts";
import type { Handlers } from "#services/gateway/http/handler.ts";
import { getReadinessHandler } from "#services/gateway/routes/service.ts";
import { buildBareApp } from "../../support/bare-app.ts";

let app: FastifyInstance;
afterEach(() => app.close());

const handlers = {
  getHealth: async () => ({ body: { status: "ok" } }) as const,
  getReadiness: async () => ({
    body: { status: "ready" as const, timestamp: "", checks: [], responseTime: "0ms" },
  }),
  getSession: async () => ({ body: {} }),
};

/** An application whose every sample shows what `limits` call too much. */
async function start(limits: Partial<typeof PRESSURE>): Promise<void> {
  app = await buildBareApp(handlers, { pressure: { ...PRESSURE, sampleMs: 10, ...limits } });
}

const get = (url: string) => app.inject({ url });
const WAIT = { timeout: 10_000, interval: 20 };

describe("under pressure", () => {
  test.each([
    ["the heap", { heapBytes: 1 }],
    ["the resident set", { residentBytes: 1 }],
    ["the event loop's delay", { eventLoopDelayMs: Number.MIN_VALUE }],
    ["a busy and late event loop", { eventLoopUtilisation: Number.MIN_VALUE, busyDelayMs: 0 }],
  ])("of %s requests are shed with 503 and told when to come again", async (_title, limits) => {
    await start(limits);
    const answer = await vi.waitFor(async () => {
      const given = await get("/api/auth/session");
      expect(given.statusCode).toBe(503);
      return given;
    }, WAIT);
    expect(answer.json()).toEqual({
      error: "The service is temporarily unavailable",
      code: "UNAVAILABLE",
    });
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(1);
    expect(answer.headers).toHaveProperty("x-request-id");
  });

  test("what watches the service is answered", async () => {
    await start({ heapBytes: 1 });
    await vi.waitFor(async () => {
      expect((await get("/api/auth/session")).statusCode).toBe(503);
    }, WAIT);
    for (const url of ["/api/health", "/api/ready"]) expect((await get(url)).statusCode).toBe(200);
  });
});

test("an event loop that is busy but punctual sheds nothing, and one that is late does", () => {
  const sample = { utilization: 1, heap: 0, resident: 0 };
  expect(excessOf({ ...sample, delayMs: PRESSURE.busyDelayMs }, PRESSURE)).toBeNull();
  expect(excessOf({ ...sample, delayMs: PRESSURE.busyDelayMs + 1 }, PRESSURE)).not.toBeNull();
  const late = { ...sample, utilization: 0, delayMs: PRESSURE.eventLoopDelayMs + 1 };
  expect(excessOf(late, PRESSURE)).not.toBeNull();
});

test("while requests are shed readiness answers 503 and says why", async () => {
  const never = Number.POSITIVE_INFINITY;
  const late = { eventLoopDelayMs: never, eventLoopUtilisation: never };
  const pressure = { ...PRESSURE, ...late, sampleMs: 10, heapBytes: 1 };
  app = await buildBareApp(
    {},
    {
      pressure,
      createHandlers: ({ shedding }) =>
        ({
          ...handlers,
          getReadiness: getReadinessHandler({
            checks: async () => ({}),
            now: () => new Date(),
            shedding,
          }),
        }) as unknown as Handlers,
    },
  );
  const report = await vi.waitFor(async () => {
    const answer = await get("/api/ready");
    expect(answer.statusCode).toBe(503);
    return answer.json();
  }, WAIT);
  expect(report).toMatchObject({
    status: "not_ready",
    checks: [
      { name: "pressure", status: "unhealthy", message: "Requests are shed: the heap is full" },
    ],
  });
  expect((await get("/api/auth/session")).statusCode).toBe(503);
});

test("the work of the start is no load, and nothing of it is shed", async () => {
  await start({ sampleMs: 500, eventLoopDelayMs: 200 });
  const end = performance.now() + 700;
  while (performance.now() < end);
  expect((await get("/api/auth/session")).statusCode).toBe(200);
});
