import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  CircuitOpen,
  type CircuitState,
  createCircuitBreaker,
} from "#infra/agency/http/exchange.ts";

const SECOND = 1_000;

class HttpError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

const isFailure = (error: unknown) => !(error instanceof HttpError) || error.status >= 500;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function breaker(options: Partial<CircuitBreakerOptions> = {}): CircuitBreaker {
  const circuit = createCircuitBreaker({ name: "agency", isFailure, ...options });
  onTestFinished(circuit.close);
  return circuit;
}

const ENDS: Readonly<Record<string, number | null>> = { s: null, f: 503, "400": 400, "404": 404 };

/** Sends a request that stays open until it is settled. */
function sendPending(circuit: CircuitBreaker) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ended = Promise.allSettled([circuit.run(() => promise)]);
  return async (end: string): Promise<void> => {
    if (end === "s") resolve("events");
    else reject(new HttpError(503));
    await ended;
  };
}

/**
 * Takes a circuit through steps: a state that it is in now; "s", "f" or a status, with "*" how many requests
 * that end so; "refuses"; "+60", seconds that pass; "sent", a request that stays open until "sent:f".
 */
async function follow(circuit: CircuitBreaker, steps: string): Promise<void> {
  let pending: ReturnType<typeof sendPending>[] = [];
  for (const [at, step] of steps.split(" ").entries()) {
    const where = `${at}: ${step}`;
    const [what = "", count = "1"] = step.split("*");
    if (/^[A-Z_]+$/.test(step)) expect(circuit.state(), where).toBe(step);
    else if (step.startsWith("+")) await vi.advanceTimersByTimeAsync(Number(step) * SECOND);
    else if (what === "sent") {
      for (let i = 0; i < Number(count); i += 1) pending.push(sendPending(circuit));
    } else if (what.startsWith("sent:")) {
      for (const settle of pending) await settle(what.slice(5));
      pending = [];
    } else if (what === "refuses") {
      const request = vi.fn(async () => "events");
      await expect(circuit.run(request), where).rejects.toThrow(CircuitOpen);
      expect(request).not.toHaveBeenCalled();
    } else {
      const status = what in ENDS ? ENDS[what] : Number(what);
      for (let i = 0; i < Number(count); i += 1) {
        const request = async () => {
          if (typeof status === "number") throw new HttpError(status);
          return "events";
        };
        const sent = circuit.run(request);
        if (typeof status !== "number") expect(await sent, where).toBe("events");
        else await expect(sent, where).rejects.toThrow(`status ${status}`);
      }
    }
  }
}

const OPENED = "f*5 OPEN";
const HALF_OPENED = `${OPENED} +60 HALF_OPEN`;

describe("a circuit", () => {
  test.each([
    ["opens at the fifth failure within 60 s", "s CLOSED f*4 CLOSED +59.999 f OPEN"],
    ["opens whatever successes are between", "s*20 f s*20 f s*20 f s*20 f CLOSED s*20 f OPEN"],
    ["forgets a failure after 60 s", "f +30 f*3 +30 f CLOSED f OPEN"],
    ["stays closed when the only request fails late", "sent +600 sent:f CLOSED"],
    ["counts no answers of the other side's", "400*20 404*20 413*20 429*20 CLOSED"],
    ["half-opens after 60 s, not before", `${OPENED} +59.999 OPEN refuses +0.001 HALF_OPEN`],
    ["stays open when earlier requests succeed", "sent*3 f*5 +30 sent:s OPEN +30 HALF_OPEN"],
    ["stays open when earlier requests fail", "sent*3 f*5 +30 sent:f OPEN +30 HALF_OPEN"],
    ["closes at the second success", `${HALF_OPENED} s HALF_OPEN s CLOSED`],
    ["closes at answers that are no failures", `${HALF_OPENED} 404*2 CLOSED`],
    ["stays half-open while nothing is sent", `${HALF_OPENED} s +3600 HALF_OPEN`],
    ["opens again", `${HALF_OPENED} f OPEN refuses +59.999 OPEN +0.001 HALF_OPEN`],
    [
      "opens again after a success",
      `${HALF_OPENED} s f OPEN refuses +59.999 OPEN +0.001 HALF_OPEN`,
    ],
    ["wants two successes anew", `${HALF_OPENED} s f +60 s HALF_OPEN s CLOSED`],
    ["tries one request at a time", `${HALF_OPENED} sent refuses sent:s s CLOSED`],
    ["tries one at a time after a success", `${HALF_OPENED} s sent refuses sent:s CLOSED`],
  ])("%s", async (_, steps) => {
    await follow(breaker(), steps);
  });

  test("counts failures from none once it has closed", async () => {
    const steps = "sent f*5 sent:f +60 s*2 CLOSED f*4 CLOSED f OPEN";
    await follow(breaker({ windowMs: 3_600 * SECOND }), steps);
  });

  test("counts whatever is thrown when it is not told what a failure is", async () => {
    const circuit = createCircuitBreaker({ name: "agency" });
    onTestFinished(circuit.close);
    await follow(circuit, "404*5 OPEN");
  });

  test("gives what a request throws unchanged, also what is no error, or thrown before it is a promise", async () => {
    const circuit = breaker();
    const error = new HttpError(500);
    await expect(circuit.run(() => Promise.reject(error))).rejects.toBe(error);
    await expect(circuit.run(() => Promise.reject(null))).rejects.toBeNull();
    const throwing = () => {
      throw error;
    };
    await expect(circuit.run(throwing)).rejects.toBe(error);
    expect(circuit.state()).toBe("CLOSED");
  });

  test("names whom a request would have gone to that it refuses", async () => {
    const circuit = breaker({ name: "GeoNet" });
    await follow(circuit, OPENED);
    await expect(circuit.run(async () => "events")).rejects.toMatchObject({
      name: "CircuitOpen",
      circuit: "GeoNet",
      message: "requests to GeoNet are suspended",
    });
  });

  test("that is closed down refuses, and leaves no timer, whatever state it was in", async () => {
    for (const steps of ["CLOSED", OPENED, HALF_OPENED]) {
      const circuit = breaker();
      await follow(circuit, steps);
      circuit.close();
      expect(vi.getTimerCount(), steps).toBe(0);
      await follow(circuit, "refuses");
    }
    const circuit = breaker();
    await follow(circuit, HALF_OPENED);
    const settle = sendPending(circuit);
    circuit.close();
    await settle("f");
    expect(vi.getTimerCount()).toBe(0);
  });
});

type Step = "success" | "failure" | "no failure" | { readonly passMs: number };

/** The contract read literally, for requests sent one after the other. */
function createModel() {
  let state: CircuitState = "CLOSED";
  let now = 0;
  let openedAt = 0;
  let recent: number[] = [];
  let inARow = 0;

  function failed(): void {
    recent = [...recent, now].filter((time) => time > now - 60 * SECOND);
    if (state === "CLOSED" && recent.length < 5) return;
    state = "OPEN";
    openedAt = now;
    recent = [];
    inARow = 0;
  }

  function answered(): void {
    if (state === "CLOSED") return;
    inARow += 1;
    if (inARow === 2) state = "CLOSED";
  }

  return {
    state: () => state,
    take(step: Step): void {
      if (typeof step === "object") {
        now += step.passMs;
        if (state === "OPEN" && now >= openedAt + 60 * SECOND) state = "HALF_OPEN";
      } else if (state !== "OPEN") {
        if (step === "failure") failed();
        else answered();
      }
    },
  };
}

/** Takes the step; tells whether a request was sent. */
async function take(circuit: CircuitBreaker, step: Step): Promise<boolean> {
  if (typeof step === "object") {
    await vi.advanceTimersByTimeAsync(step.passMs);
    return false;
  }
  const request = vi.fn(async () => {
    if (step !== "success") throw new Error(step);
  });
  await Promise.allSettled([circuit.run(request)]);
  return request.mock.calls.length > 0;
}

test("the circuit breaker follows the contract's states after any requests at any times", async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Step>("failure") },
    { weight: 3, arbitrary: fc.constantFrom<Step>("success", "no failure") },
    { weight: 3, arbitrary: fc.record({ passMs: fc.constantFrom(1, 9_999, 20_000, 60_000) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const circuit = createCircuitBreaker({
        name: "agency",
        isFailure: (error) => error instanceof Error && error.message === "failure",
      });
      const model = createModel();
      try {
        for (const next of steps) {
          const mustSend = typeof next === "string" && model.state() !== "OPEN";
          expect(await take(circuit, next)).toBe(mustSend);
          model.take(next);
          expect(circuit.state()).toBe(model.state());
        }
      } finally {
        circuit.close();
      }
    }),
  );
});
