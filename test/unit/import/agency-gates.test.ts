import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createAgencyGates } from "#services/agencies/agency-gates.ts";

const EMSC = { id: "emsc", name: "EMSC", url: "https://emsc.invalid/1", requestsAtOnce: 2 };
const ISC = { id: "isc", name: "ISC", url: "https://isc.invalid/1", requestsAtOnce: 1 };

function useGates() {
  const gates = createAgencyGates();
  onTestFinished(gates.close);
  return gates;
}

/** Requests that wait for their end, and how many of them run. */
function heldRequests() {
  const ends = Promise.withResolvers<void>();
  let running = 0;
  const request = async (): Promise<void> => {
    running += 1;
    await ends.promise;
    running -= 1;
  };
  return { request, running: () => running, end: ends.resolve };
}

test("an agency is sent as many requests at once as it may be, whatever others are sent", async () => {
  const gates = useGates();
  const { signal } = new AbortController();
  const counted = [EMSC, ISC].map((agency) => {
    const held = heldRequests();
    const sent = [1, 2, 3].map(() => gates.of(agency).slots.run(held.request, signal));
    return { held, sent };
  });
  await setImmediate();
  expect(counted.map(({ held }) => held.running())).toEqual([2, 1]);
  for (const { held, sent } of counted) {
    held.end();
    await Promise.all(sent);
  }
});

test("the failures of one agency open its circuit alone, until its settings change", async () => {
  const gates = useGates();
  const fail = () => Promise.reject(new Error("it is away"));
  for (let i = 0; i < 5; i += 1) {
    await expect(gates.of(EMSC).breaker.run(fail)).rejects.toThrow("it is away");
  }
  expect([gates.state("emsc"), gates.state("isc"), gates.state("never asked")]).toEqual([
    "OPEN",
    "CLOSED",
    "CLOSED",
  ]);
  expect(gates.of({ ...EMSC })).toBe(gates.of(EMSC));
  const moved = gates.of({ ...EMSC, url: "https://emsc.invalid/2" });
  expect(await moved.breaker.run(async () => "an answer")).toBe("an answer");
  expect(gates.state("emsc")).toBe("CLOSED");
});
