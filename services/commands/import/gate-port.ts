import type { MessagePort } from "node:worker_threads";
import { type CircuitBreaker, CircuitOpen } from "#infra/agency/circuit-breaker.ts";
import { isAgencyFailure } from "#infra/agency/errors.ts";
import type { RequestSlots } from "#infra/kernel/slots.ts";

/**
 * Circuit breaker and request slots of the agency belong to the process, while imports run in worker
 * threads: a worker asks before each request and reports its outcome. Both messages are answered.
 */
type FromWorker = { readonly ask: number } | { readonly settled: number; readonly failed: boolean };
type ToWorker = { readonly id: number; readonly refusedBy: string | null };

export type AgencyGate = {
  readonly breaker: Pick<CircuitBreaker, "run">;
  readonly slots: RequestSlots;
};

/** The worker's end: a breaker whose state is at the other end. */
export function createRemoteBreaker(port: MessagePort): Pick<CircuitBreaker, "run"> {
  const waiting = new Map<number, (answer: ToWorker) => void>();
  let last = 0;
  port.on("message", (answer: ToWorker) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  function call(id: number, message: FromWorker): Promise<ToWorker> {
    const { promise, resolve } = Promise.withResolvers<ToWorker>();
    waiting.set(id, resolve);
    port.postMessage(message);
    return promise;
  }
  return {
    async run(request) {
      last += 1;
      const id = last;
      const { refusedBy } = await call(id, { ask: id });
      if (refusedBy !== null) throw new CircuitOpen(refusedBy);
      let failed = false;
      try {
        return await request();
      } catch (error) {
        failed = isAgencyFailure(error);
        throw error;
      } finally {
        // Waits until the outcome is recorded, since the port may be closed directly afterwards.
        await call(id, { settled: id, failed });
      }
    },
  };
}

/** A request failed in the worker, which has the reason. */
class FailedRequest extends Error {}

/** The breaker's end. Requests of a dead worker count as answered, since their outcome is unknown. */
export function serveGate(port: MessagePort, { breaker, slots }: AgencyGate): void {
  const running = new Map<number, PromiseWithResolvers<void>>();
  const gone = new AbortController();
  const answer = (id: number, refusedBy: string | null = null): void => {
    const message: ToWorker = { id, refusedBy };
    port.postMessage(message);
  };

  async function serve(id: number): Promise<void> {
    const request = async (): Promise<void> => {
      const settled = Promise.withResolvers<void>();
      running.set(id, settled);
      answer(id);
      await settled.promise;
    };
    try {
      await slots.run(() => breaker.run(request), gone.signal);
      answer(id);
    } catch (error) {
      // The worker has any other error itself: it occurred there, or the worker is dead.
      answer(id, error instanceof CircuitOpen ? error.circuit : null);
    } finally {
      running.delete(id);
    }
  }

  port.on("message", (message: FromWorker) => {
    if ("ask" in message) void serve(message.ask);
    else if (message.failed) running.get(message.settled)?.reject(new FailedRequest());
    else running.get(message.settled)?.resolve();
  });
  port.on("close", () => {
    gone.abort(new Error("the import has ended"));
    for (const { resolve } of running.values()) resolve();
  });
}
