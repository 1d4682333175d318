import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type CircuitBreaker,
  type CircuitBreakerOptions,
  CircuitOpen,
  type CircuitState,
  createCircuitBreaker,
} from "#infra/agency/http/circuit-breaker.ts";

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

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * SECOND);

async function succeed(circuit: CircuitBreaker): Promise<void> {
  expect(await circuit.run(async () => "events")).toBe("events");
}

async function fail(circuit: CircuitBreaker, times = 1, status = 503): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await expect(circuit.run(() => Promise.reject(new HttpError(status)))).rejects.toThrow(
      `status ${status}`,
    );
  }
}

async function refuse(circuit: CircuitBreaker): Promise<void> {
  const request = vi.fn(async () => "events");
  await expect(circuit.run(request)).rejects.toThrow(CircuitOpen);
  expect(request).not.toHaveBeenCalled();
}

async function opened(options?: Partial<CircuitBreakerOptions>): Promise<CircuitBreaker> {
  const circuit = breaker(options);
  await fail(circuit, 5);
  expect(circuit.state()).toBe("OPEN");
  return circuit;
}

async function halfOpened(): Promise<CircuitBreaker> {
  const circuit = await opened();
  await pass(60);
  expect(circuit.state()).toBe("HALF_OPEN");
  return circuit;
}

/** Sends a request that stays open until it is settled. */
function sendPending(circuit: CircuitBreaker) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ended = Promise.allSettled([circuit.run(() => promise)]);
  return {
    async succeed(): Promise<void> {
      resolve("events");
      await ended;
    },
    async fail(): Promise<void> {
      reject(new HttpError(503));
      await ended;
    },
  };
}

describe("a CLOSED circuit", () => {
  test("a CLOSED circuit gives the outcome of a request unchanged", async () => {
    const circuit = breaker();
    const error = new HttpError(500);
    await succeed(circuit);
    await expect(circuit.run(() => Promise.reject(error))).rejects.toBe(error);
    expect(circuit.state()).toBe("CLOSED");
  });

  test("a CLOSED circuit gives what a request throws that is no error, or thrown before it is a promise", async () => {
    const circuit = breaker();
    await expect(circuit.run(() => Promise.reject(null))).rejects.toBeNull();
    const throwing = () => {
      throw new HttpError(500);
    };
    await expect(circuit.run(throwing)).rejects.toThrow("status 500");
  });

  test("a CLOSED circuit opens at the fifth failure within 60 s", async () => {
    const circuit = breaker();
    await fail(circuit, 4);
    expect(circuit.state()).toBe("CLOSED");
    await pass(59.999);
    await fail(circuit);
    expect(circuit.state()).toBe("OPEN");
  });

  test("a CLOSED circuit opens at the fifth failure however many successes are between", async () => {
    const circuit = breaker();
    for (let failures = 0; failures < 5; failures += 1) {
      for (let successes = 0; successes < 20; successes += 1) await succeed(circuit);
      await fail(circuit);
    }
    expect(circuit.state()).toBe("OPEN");
  });

  test("a CLOSED circuit forgets a failure after 60 s", async () => {
    const circuit = breaker();
    await fail(circuit);
    await pass(30);
    await fail(circuit, 3);
    await pass(30);
    await fail(circuit);
    expect(circuit.state()).toBe("CLOSED");
    await fail(circuit);
    expect(circuit.state()).toBe("OPEN");
  });

  test("a CLOSED circuit stays CLOSED when the only request in a long time is one that fails late", async () => {
    const circuit = breaker();
    const pending = sendPending(circuit);
    await pass(600);
    await pending.fail();
    expect(circuit.state()).toBe("CLOSED");
  });

  test.each([400, 404, 413, 429])(
    "a CLOSED circuit counts status %i as no failure",
    async (status) => {
      const circuit = breaker();
      await fail(circuit, 20, status);
      expect(circuit.state()).toBe("CLOSED");
    },
  );

  test("a CLOSED circuit counts whatever is thrown when it is not told what a failure is", async () => {
    const circuit = createCircuitBreaker({ name: "agency" });
    onTestFinished(circuit.close);
    await fail(circuit, 5, 404);
    expect(circuit.state()).toBe("OPEN");
  });
});

describe("an OPEN circuit", () => {
  test("an OPEN circuit refuses a request without sending it, and names whom it would have gone to", async () => {
    const circuit = await opened({ name: "GeoNet" });
    await refuse(circuit);
    await expect(circuit.run(async () => "events")).rejects.toMatchObject({
      name: "CircuitOpen",
      circuit: "GeoNet",
      message: "requests to GeoNet are suspended",
    });
  });

  test("half-opens after 60 s, not before", async () => {
    const circuit = await opened();
    await pass(59.999);
    expect(circuit.state()).toBe("OPEN");
    await refuse(circuit);
    await pass(0.001);
    expect(circuit.state()).toBe("HALF_OPEN");
  });

  test.each(["succeed", "fail"] as const)(
    "an OPEN circuit stays OPEN, and no longer, when requests sent before it opened %s",
    async (end) => {
      const circuit = breaker();
      const pending = [sendPending(circuit), sendPending(circuit), sendPending(circuit)];
      await fail(circuit, 5);
      await pass(30);
      for (const request of pending) await request[end]();
      expect(circuit.state()).toBe("OPEN");
      await pass(30);
      expect(circuit.state()).toBe("HALF_OPEN");
    },
  );
});

describe("a HALF_OPEN circuit", () => {
  test("a HALF_OPEN circuit closes at the second success", async () => {
    const circuit = await halfOpened();
    await succeed(circuit);
    expect(circuit.state()).toBe("HALF_OPEN");
    await succeed(circuit);
    expect(circuit.state()).toBe("CLOSED");
  });

  test("a HALF_OPEN circuit closes at answers that are no failures", async () => {
    const circuit = await halfOpened();
    await fail(circuit, 2, 404);
    expect(circuit.state()).toBe("CLOSED");
  });

  test("a HALF_OPEN circuit stays HALF_OPEN as long as nothing is sent", async () => {
    const circuit = await halfOpened();
    await succeed(circuit);
    await pass(3_600);
    expect(circuit.state()).toBe("HALF_OPEN");
  });

  test.each([0, 1])(
    "a HALF_OPEN circuit opens again at a failure after %i successes, for 60 s",
    async (successes) => {
      const circuit = await halfOpened();
      for (let time = 0; time < successes; time += 1) await succeed(circuit);
      await fail(circuit);
      expect(circuit.state()).toBe("OPEN");
      await refuse(circuit);
      await pass(59.999);
      expect(circuit.state()).toBe("OPEN");
      await pass(0.001);
      expect(circuit.state()).toBe("HALF_OPEN");
    },
  );

  test("a HALF_OPEN circuit wants two successes anew after it has opened again", async () => {
    const circuit = await halfOpened();
    await succeed(circuit);
    await fail(circuit);
    await pass(60);
    await succeed(circuit);
    expect(circuit.state()).toBe("HALF_OPEN");
    await succeed(circuit);
    expect(circuit.state()).toBe("CLOSED");
  });

  test.each([0, 1])(
    "a HALF_OPEN circuit tries one request at a time, also after %i successes",
    async (successes) => {
      const circuit = await halfOpened();
      for (let time = 0; time < successes; time += 1) await succeed(circuit);
      const pending = sendPending(circuit);
      await refuse(circuit);
      await pending.succeed();
      await succeed(circuit);
      expect(circuit.state()).toBe("CLOSED");
    },
  );

  test("a HALF_OPEN circuit counts failures from none once it has closed", async () => {
    const circuit = breaker({ windowMs: 3_600 * SECOND });
    const sentBefore = sendPending(circuit);
    await fail(circuit, 5);
    await sentBefore.fail();
    await pass(60);
    await succeed(circuit);
    await succeed(circuit);
    expect(circuit.state()).toBe("CLOSED");
    await fail(circuit, 4);
    expect(circuit.state()).toBe("CLOSED");
    await fail(circuit);
    expect(circuit.state()).toBe("OPEN");
  });
});

describe("a closed-down breaker", () => {
  test("a closed-down breaker has no timer left, whatever state it was in", async () => {
    for (const circuit of [breaker(), await opened(), await halfOpened()]) circuit.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a closed-down breaker refuses requests", async () => {
    const circuit = breaker();
    circuit.close();
    await refuse(circuit);
  });

  test("a closed-down breaker starts no timer when a request ends after it", async () => {
    const circuit = await halfOpened();
    const pending = sendPending(circuit);
    circuit.close();
    await pending.fail();
    expect(vi.getTimerCount()).toBe(0);
  });
});

type Step = "success" | "failure" | "no failure" | { readonly passMs: number };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

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
