import { expect, test } from "vitest";
import { createFailedRegistrations } from "#services/commands/accounts/account-context.ts";

test("of failed registrations the latest are known, as many as there is room for", () => {
  const failed = createFailedRegistrations(2);
  expect(failed.has("a")).toBe(false);
  for (const userId of ["a", "b", "a", "c"]) failed.add(userId);
  expect(["a", "b", "c"].map(failed.has)).toEqual([true, false, true]);
});
