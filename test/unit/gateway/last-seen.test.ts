import { expect, test } from "vitest";
import { createLastSeen } from "#services/gateway/plugins/last-seen.ts";

const actor = (userId: string) => ({
  userId,
  email: `${userId}@example.org`,
  name: userId,
  role: "viewer" as const,
  sessionId: userId,
  expires: "2030-01-01T00:00:00.000Z",
});

test("the caller of a session is remembered until another is put, or none", () => {
  const seen = createLastSeen(10);
  expect(seen.of("a")).toBeNull();
  seen.put("a", actor("first"));
  seen.put("a", actor("second"));
  expect(seen.of("a")).toEqual(actor("second"));
  seen.put("a", null);
  expect(seen.of("a")).toBeNull();
});

test("beyond its size it forgets the session that was put longest ago", () => {
  const seen = createLastSeen(2);
  for (const id of ["a", "b", "a", "c"]) seen.put(id, actor(id));
  expect(["a", "b", "c"].map((id) => seen.of(id)?.userId)).toEqual(["a", undefined, "c"]);
});
