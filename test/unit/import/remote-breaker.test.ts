import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { type CircuitBreaker, createCircuitBreaker } from "#infra/agency/circuit-breaker.ts";
import { AgencyError, AgencyUnavailable } from "#infra/agency/errors.ts";
import { createRequestSlots } from "#infra/kernel/slots.ts";
import { openChannel } from "#infra/threads/channel.ts";
import { createGateKeeper, createRemoteBreaker } from "#services/commands/import/remote-breaker.ts";

type Remote = Pick<CircuitBreaker, "run"> & { readonly leave: () => void };

/** A breaker with two slots, and the ends of so many workers. */
function openGate(workers: number): { breaker: CircuitBreaker; remotes: Remote[] } {
  const breaker = createCircuitBreaker({ name: "agency" });
  const gate = { breaker, slots: createRequestSlots(2) };
  const remotes = Array.from({ length: workers }, () => {
    const { port1, port2 } = new MessageChannel();
    const keeper = openChannel(port1, 1, createGateKeeper(gate));
    onTestFinished(keeper.close);
    const worker = openChannel(port2, 1);
    return { ...createRemoteBreaker(worker.call), leave: worker.close };
  });
  onTestFinished(breaker.close);
  return { breaker, remotes };
}

const ill = () => Promise.reject(new AgencyUnavailable("down", { status: 500 }));

test("a request's outcome comes back as it was, and the breaker has noted it", async () => {
  const { breaker, remotes } = openGate(2);
  const [one, other] = remotes;
  expect(await one?.run(async () => 42)).toBe(42);
  for (let i = 0; i < 5; i += 1) await expect(one?.run(ill)).rejects.toThrow("down");
  expect(breaker.state()).toBe("OPEN");
  await expect(other?.run(async () => 42)).rejects.toMatchObject({
    name: "CircuitOpen",
    circuit: "agency",
  });
});

test("a refusal of the agency's is no failure", async () => {
  const { breaker, remotes } = openGate(1);
  const refused = () => Promise.reject(new AgencyError("no such parameter", { status: 400 }));
  for (let i = 0; i < 9; i += 1) await expect(remotes[0]?.run(refused)).rejects.toThrow("no such");
  expect(breaker.state()).toBe("CLOSED");
});

test("two requests run at once, of all workers, and those of a worker that is gone make room", async () => {
  const { remotes } = openGate(3);
  const [one, other, third] = remotes;
  let running = 0;
  const started = Promise.withResolvers<void>();
  const hang = () => {
    running += 1;
    if (running === 2) started.resolve();
    return new Promise<void>(() => {});
  };
  void one?.run(hang);
  void other?.run(hang);
  await started.promise;
  const waiting = third?.run(async () => running);
  one?.leave();
  expect(await waiting).toBe(2);
});
