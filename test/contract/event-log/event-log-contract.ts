import { describe } from "vitest";
import type { EventLog } from "#infra/event-log/event-log.ts";
import { appendContract } from "./append-contract.ts";
import { backwardsContract } from "./backwards-contract.ts";
import { concurrencyContract } from "./concurrency-contract.ts";
import { contentContract } from "./content-contract.ts";
import { subscribeContract } from "./subscribe-contract.ts";

/**
 * What every adapter of the event log port must do. `makeLog` may open the same log each time: tests
 * use streams and types of their own.
 */
export function eventLogContract(name: string, makeLog: () => Promise<EventLog>): void {
  describe(`event log on ${name}`, () => {
    describe("append and read", () => appendContract(makeLog));
    describe("content", () => contentContract(makeLog));
    describe("subscribe", () => subscribeContract(makeLog));
    describe("backwards", () => backwardsContract(makeLog));
    describe("under concurrency", () => concurrencyContract(makeLog));
  });
}
