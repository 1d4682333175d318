import { expect, test } from "vitest";
import { createTally, TooManyErrors } from "#services/commands/import/import-tally.ts";

test("a tally counts every event once", () => {
  const tally = createTally();
  for (let i = 0; i < 5; i += 1) tally.added();
  tally.updated();
  tally.skipped("existing");
  tally.skipped("rejected");
  tally.skipped("rejected");
  tally.failed({ message: "no time" });
  expect(tally.read()).toEqual({
    totalFetched: 10,
    newEvents: 5,
    updatedEvents: 1,
    skippedEvents: 3,
    skippedReasons: { existing: 1, unchanged: 0, excluded: 0, rejected: 2 },
    errors: [{ message: "no time" }],
  });
  expect(tally.read(1)).toMatchObject({ totalFetched: 10, errors: [] });
});

test("an error's text is cut and can be stored", () => {
  const tally = createTally();
  tally.failed({ message: `\0\ud800${"x".repeat(1_000)}`, source_id: "id", where: "line 3" });
  const [error] = tally.read().errors;
  expect(error).toMatchObject({ source_id: "id", where: "line 3" });
  expect(error?.message).toMatch(/^\ufffdx+…$/);
  expect(error?.message.length).toBeLessThan(310);
});

test("more errors than a run can tell of end it, before they are too large for the log", () => {
  const tally = createTally();
  const message = "ü".repeat(300);
  const failAlways = () => {
    for (;;) tally.failed({ message });
  };
  expect(failAlways).toThrow(TooManyErrors);
  const { errors, totalFetched } = tally.read();
  expect(totalFetched).toBe(errors.length);
  expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(600 * 1024);
});
