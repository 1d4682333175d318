import fc from "fast-check";
import { expect, test } from "vitest";
import { requestHash } from "#services/gateway/idempotency/once-by-key.ts";

const SECRET = "a secret of this test";
const request = { method: "POST", url: "/api/catalogues", body: Buffer.from("{}") };

test("requests have one hash exactly when they are the same", async () => {
  const part = fc.constantFrom("", "a", "b", "ab", " a", "a\n");
  const arbitrary = fc.record({
    method: fc.constantFrom("POST", "PATCH"),
    url: part.map((text) => `/${encodeURIComponent(text)}`),
    body: part.map((text) => Buffer.from(text)),
  });
  await fc.assert(
    fc.asyncProperty(arbitrary, arbitrary, async (a, b) => {
      const [hashA, hashB] = [await requestHash(SECRET, a), await requestHash(SECRET, b)];
      const same = a.method === b.method && a.url === b.url && a.body.equals(b.body);
      expect(hashA.equals(hashB)).toBe(same);
    }),
  );
});

test("the hash takes the secret to make", async () => {
  const [one, other] = [await requestHash(SECRET, request), await requestHash("other", request)];
  expect(one).toHaveLength(32);
  expect(one.equals(other)).toBe(false);
});

test("the event loop turns while a large body is hashed", async () => {
  const MIB = 1024 * 1024;
  const body = Buffer.alloc(16 * MIB, "x");
  let turns = 0;
  let hashing = true;
  const turn = (): void => {
    turns += 1;
    if (hashing) setImmediate(turn);
  };
  setImmediate(turn);
  await requestHash(SECRET, { ...request, body });
  hashing = false;
  expect(turns).toBeGreaterThanOrEqual(15);
});
