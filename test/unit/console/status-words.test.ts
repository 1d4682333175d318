import { expect, test } from "vitest";
import {
  checkMessage,
  checkName,
  checkPurpose,
  isWorking,
} from "#services/console/model/status-words.ts";

test("checks are told in words that need no knowledge of the service", () => {
  expect(["agency_api", "agency:emsc", "some_check"].map(checkName)).toEqual([
    "Feed of the agency",
    "Feed of emsc",
    "Some check",
  ]);
  expect(checkPurpose("agency:emsc")).toBe("brings events of imports");
  expect(checkMessage("agency:emsc", "Circuit breaker: CLOSED")).toBe("working");
  const breaker = (state: string) => checkMessage("agency_api", `Circuit breaker: ${state}`);
  expect(breaker("CLOSED")).toBe("working");
  expect(breaker("OPEN")).toBe("failed several times; it is not asked for a minute");
  expect(breaker("HALF_OPEN")).toBe("failed several times; it is being tried again");
  expect(breaker("ODD")).toBe("Circuit breaker: ODD");
  expect(checkMessage("projections", "catalogue: up to date, 2 events parked")).toBe(
    "catalogue: up to date, 2 events could not be applied",
  );
  expect(checkMessage("changes", "publisher: publishing; up to date")).toBe(
    "sending: publishing; up to date",
  );
  expect(checkMessage("memory", "Heap 60 MB of 600 MB (10%), resident 1 MB of 2 MB (50%)")).toBe(
    "Objects 60 MB of 600 MB (10%), in all 1 MB of 2 MB (50%)",
  );
  expect(checkMessage("database", "The database does not answer")).toBe(
    "The database does not answer",
  );
  expect(checkMessage("notifications", "notifier: in process; 2 pending, 1 parked")).toBe(
    "2 waiting, 1 not delivered",
  );
});

test("an agency that is not asked does not work, though the service does", () => {
  const agency = (message: string) => isWorking({ name: "agency_api", status: "healthy", message });
  expect([agency("Circuit breaker: CLOSED"), agency("Circuit breaker: OPEN")]).toEqual([
    true,
    false,
  ]);
  expect(isWorking({ name: "database", status: "healthy" })).toBe(true);
  expect(isWorking({ name: "database", status: "unhealthy", message: "It is full" })).toBe(false);
});
