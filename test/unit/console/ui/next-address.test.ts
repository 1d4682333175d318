import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hereAsNext, nextAddress } from "#services/console/ui/call/next-address.ts";

const ORIGIN = "https://catalogues.example.org";

/** Where the page for signing in stands. */
const here = (pathname: string, search = "") =>
  vi.stubGlobal("location", { origin: ORIGIN, pathname, search });

beforeAll(() => here("/login"));
afterAll(() => {
  vi.unstubAllGlobals();
});

const query = (next: string) => `?next=${encodeURIComponent(next)}`;

/** Where a browser goes that is given the address on a page of the console. */
const hostOf = (address: string) => new URL(address, `${ORIGIN}/login`).origin;

test("leads back to an address of the console, with its query", () => {
  expect(nextAddress(query("/catalogues/a?minMagnitude=4&asOf=2"))).toBe(
    "/catalogues/a?minMagnitude=4&asOf=2",
  );
});

test("leads to the first page without one", () => {
  expect([nextAddress(""), nextAddress("?next=")]).toEqual(["/", "/"]);
});

test.each([
  "https://evil.example",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "\t//evil.example",
  "/\n/evil.example",
  " //evil.example",
  "javascript:alert(1)",
  "data:text/html,a",
  "https:evil.example",
  "https:/evil.example",
  `${ORIGIN}@evil.example`,
  "//evil.example\\@catalogues.example.org",
  "/..//evil.example",
  "/.//evil.example",
  "/a/..//evil.example",
  "/%2e//evil.example",
  "/./\\evil.example",
  "http://[",
  "//[",
])("never leads from %j to another host", (next) => {
  const address = nextAddress(query(next));
  expect(hostOf(address)).toBe(ORIGIN);
  expect(address).toMatch(/^\/(?![/\\])/);
});

test("never leads to another host, whatever stands there", () => {
  const piece = fc.constantFrom(
    "/", "\\", ".", "..", ":", "@", "?", "#", "\t", "\n", "\r", " ", "%2f", "%5c", "%2e", "http:",
    "https:", "javascript:", "evil.example", "[", "]", "é", "\u0000",
  ); // biome-ignore format: short signs
  const hostile = fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 8 });
  fc.assert(
    fc.property(hostile, (pieces) => {
      const address = nextAddress(query(pieces.join("")));
      expect(hostOf(address)).toBe(ORIGIN);
      expect(address).toMatch(/^\/(?![/\\])/);
    }),
    { numRuns: 2_000 },
  );
});

test("an address reads back from the query that carries it", () => {
  const word = fc.stringMatching(/^[a-z0-9 é&=?/%+-]{0,8}$/);
  fc.assert(
    fc.property(fc.array(word), fc.dictionary(word, word), (path, parameters) => {
      const { pathname } = new URL(
        `${ORIGIN}/x${path.map((one) => `/${encodeURIComponent(one)}`).join("")}`,
      );
      const search = new URLSearchParams(parameters).toString();
      here(pathname, search && `?${search}`);
      expect(nextAddress(hereAsNext())).toBe(pathname + (search && `?${search}`));
    }),
  );
  here("/login");
});
