import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hereAsNext, nextAddress } from "#services/console/api/session.ts";
import { createKeyReader, type Pressed, type Wish } from "#services/console/shell/shortcuts.ts";
import { testRows } from "../../support/test-rows.ts";

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({
  key,
  timeStamp: 0,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isAltGraph: false,
  ...held,
});

/** What keys ask for that are pressed one after the other. */
function wishesOf(...pressed: readonly Pressed[]): readonly (Wish | null)[] {
  const read = createKeyReader();
  return pressed.map(read);
}

test("g and c within a second ask for the catalogues; c alone does not", () => {
  expect(wishesOf(press("g"), press("c", { timeStamp: 999 }))[1]).toBe("catalogues");
  expect(wishesOf(press("g"), press("c", { timeStamp: 1_000 }))[1]).toEqual({ key: "c" });
  expect(wishesOf(press("c"))).toEqual([{ key: "c" }]);
});

test("another key between g and c parts them, a second g begins anew", () => {
  expect(wishesOf(press("g"), press("x"), press("c"))[2]).toEqual({ key: "c" });
  const later = { timeStamp: 1_500 };
  expect(wishesOf(press("g"), press("g", { timeStamp: 900 }), press("c", later))[2]).toBe(
    "catalogues",
  );
});

test("commands of the browser are left to it", () => {
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
    expect(wishesOf(press("c", held), press("?", held), press("/", held))).toEqual([
      null,
      null,
      null,
    ]);
  }
  expect(wishesOf(press("[", { metaKey: true }), press("[", { ctrlKey: true }))).toEqual([
    null,
    null,
  ]);
});

test("[ and ] work where they are the third sign of a key", () => {
  const onWindows = { ctrlKey: true, altKey: true, isAltGraph: true };
  const onLinux = { isAltGraph: true };
  const onMac = { altKey: true };
  for (const held of [onWindows, onLinux, onMac]) {
    expect(wishesOf(press("[", held), press("]", held))).toEqual([{ key: "[" }, { key: "]" }]);
  }
});

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

testRows(
  "never leads to another host",
  [
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
  ],
  (next) => {
    const address = nextAddress(query(next));
    expect(hostOf(address)).toBe(ORIGIN);
    expect(address).toMatch(/^\/(?![/\\])/);
  },
);

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
