import { expect, test } from "vitest";
import { createLastSeen } from "#infra/postgres/last-seen.ts";

test("what was seen is remembered until something else is put, or nothing", () => {
  const seen = createLastSeen<string>(10);
  expect(seen.of("a")).toBeNull();
  seen.put("a", "first");
  seen.put("a", "second");
  expect(seen.of("a")).toBe("second");
  seen.put("a", null);
  expect(seen.of("a")).toBeNull();
});

test("beyond its size it forgets what was put longest ago", () => {
  const seen = createLastSeen<string>(2);
  for (const id of ["a", "b", "a", "c"]) seen.put(id, id);
  expect(["a", "b", "c"].map((id) => seen.of(id))).toEqual(["a", null, "c"]);
});
