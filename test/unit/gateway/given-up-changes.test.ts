import { expect, test } from "vitest";
import type { DomainEvent } from "#infra/event-log/domain-events.ts";
import type { RecordedEvent } from "#infra/event-log/event-log.ts";
import { deedSummary } from "#services/gateway/routes/audit/deed-summary.ts";
import { isDeed } from "#services/gateway/routes/audit/is-deed.ts";

const givenUp = (reason: string) => ({
  type: "RevisionAbandoned" as const,
  data: { catalogueId: "0f8fad5b-d9cb-469f-a165-70867728950e", revision: 3, reason },
});
const isTold = (reason: string) =>
  isDeed(givenUp(reason) as Partial<RecordedEvent> as RecordedEvent);
const wordsOf = (reason: string) => deedSummary(givenUp(reason) as DomainEvent, null);

test("a change that was given up is a deed, told in words; an import's is told by its end", () => {
  expect(["its worker is gone", "Overloaded", "its import failed"].map(isTold)).toEqual([
    true,
    true,
    false,
  ]);
  expect(wordsOf("its worker is gone")).toBe(
    "Change given up, which left everything as it was: the service was stopped while it ran",
  );
  expect(wordsOf("TypeError")).toBe(
    "Change given up, which left everything as it was: it failed on the way",
  );
});
