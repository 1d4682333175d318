import { expect, test } from "vitest";
import { prefersAsync } from "#services/gateway/http/headers/prefer.ts";

test.each([
  ["respond-async", true],
  ["Respond-Async", true],
  ["wait=10, respond-async", true],
  ["respond-async; foo=bar, wait=10", true],
  [["return=minimal", "respond-async"], true],
  ["respond-asynchronously", false],
  ["not-respond-async", false],
  ["return=minimal", false],
  ["", false],
  [undefined, false],
])("Prefer: %j asks for an early answer: %j", (header, asks) => {
  expect(prefersAsync(header)).toBe(asks);
});
