import { expect } from "vitest";
import { prefersAsync } from "#services/gateway/http/headers/prefer.ts";
import { testRows } from "../../support/test-rows.ts";

testRows(
  "Prefer: respond-async asks for an early answer",
  [
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
  ],
  (header, asks) => {
    expect(prefersAsync(header)).toBe(asks);
  },
);
