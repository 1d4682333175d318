import { expect } from "vitest";
import { ownOrigins } from "#services/gateway/auth/own-origins.ts";
import { testRows } from "../../support/test-rows.ts";

testRows(
  "the service takes loopback addresses and its own origins for its own",
  [
    ["http://localhost:3000", "http://127.0.0.1:3000", "127.0.0.1:3000", true],
    ["http://localhost:3000", "http://[::1]:3000", "[::1]:3000", true],
    ["http://127.0.0.1:3000", "http://localhost:3000", "localhost:3000", true],
    ["http://localhost:3000", "http://127.0.0.1:4000", "127.0.0.1:3000", false],
    ["http://localhost:3000", "http://evil.example.org", "evil.example.org", false],
    ["http://localhost:3000", "null", "127.0.0.1:3000", false],
    ["http://localhost:3000", "http://127.0.0.1:3000/", "127.0.0.1:3000", false],
    ["https://catalogues.example.org", "http://127.0.0.1:3000", "127.0.0.1:3000", false],
    ["https://catalogues.example.org", "https://catalogues.example.org", "x", true],
    ["https://catalogues.example.org", "https://maps.example.org", "x", true],
  ],
  (base, origin, host, expected) => {
    expect(ownOrigins(base, ["https://maps.example.org"])({ origin, host })).toBe(expected);
  },
);
