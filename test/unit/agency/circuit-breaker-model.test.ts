import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type CircuitBreaker,
  type CircuitState,
  createCircuitBreaker,
} from "#infra/agency/circuit-breaker.ts";

const SECOND = 1_000;

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
