import { type CircuitBreaker, CircuitOpen, isAgencyFailure } from "#infra/agency/http/exchange.ts";
import type { RequestSlots } from "#infra/kernel/fair-queue.ts";
import type { Call } from "#infra/threads/task.ts";

/**
 * Circuit breaker and request slots of the agency belong to the process, while imports run in worker
 * threads: a worker asks before each request and reports its outcome.
 */
export type AgencyGate = {
  readonly breaker: Pick<CircuitBreaker, "run">;
  readonly slots: RequestSlots;
};

/** The answer is the circuit that refuses the request, or null. */
type Question = { readonly ask: number } | { readonly settled: number; readonly failed: boolean };

/** The worker's end: a breaker whose state is at the other end. */
export function createRemoteBreaker(call: Call): Pick<CircuitBreaker, "run"> {
  let last = 0;
  return {
    async run(request) {
      last += 1;
      const id = last;
      const refusedBy = await call<Question, string | null>({ ask: id });
      if (refusedBy !== null) throw new CircuitOpen(refusedBy);
      let failed = false;
      try {
        return await request();
      } catch (error) {
        failed = isAgencyFailure(error);
        throw error;
      } finally {
        // Waits until the outcome is recorded, since the task may end directly afterwards.
        await call<Question, string | null>({ settled: id, failed });
      }
    },
  };
}

/** A request failed in the worker, which has the reason. */
class FailedRequest extends Error {}

/** The answers for one worker. Its requests count as answered when it dies: their outcome is unknown. */
export function createGateKeeper({ breaker, slots }: AgencyGate) {
  const running = new Map<number, (failed: boolean) => Promise<void>>();

  function ask(id: number, gone: AbortSignal): Promise<string | null> {
    const begun = Promise.withResolvers<string | null>();
    const outcome = Promise.withResolvers<void>();
    const leave = (): void => outcome.resolve();
    gone.addEventListener("abort", leave);
    const request = (): Promise<void> => {
      begun.resolve(null);
      return outcome.promise;
    };
    const recorded = slots
      .run(() => breaker.run(request), gone)
      // The worker has any other error itself: it occurred there, or the worker is dead.
      .catch((error) => begun.resolve(error instanceof CircuitOpen ? error.circuit : null))
      .finally(() => gone.removeEventListener("abort", leave));
    running.set(id, (failed) => {
      if (failed) outcome.reject(new FailedRequest());
      else outcome.resolve();
      return recorded;
    });
    return begun.promise;
  }

  return async (question: Question, gone: AbortSignal): Promise<string | null> => {
    if ("ask" in question) return ask(question.ask, gone);
    await running.get(question.settled)?.(question.failed);
    running.delete(question.settled);
    return null;
  };
}
