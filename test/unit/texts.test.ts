import fc from "fast-check";
import { expect, test } from "vitest";
import { isShownLine, isShownText } from "#contracts/text.ts";
import { attachment } from "#services/exports/exporter.ts";
import { requestHash } from "#services/gateway/once.ts";
import { testRows } from "../support/test-rows.ts";

const codes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));

const CONTROLS = [...codes(0x00, 0x1f), ...codes(0x7f, 0x9f)];
const DIRECTIONS = [
  "\u061c",
  "\u200e",
  "\u200f",
  ...codes(0x202a, 0x202e),
  ...codes(0x2066, 0x2069),
];
const LINE_BREAKS = ["\n", "\r", "\u0085", "\u2028", "\u2029"];

test("a name holds no control, no line break and no mark that turns its direction", () => {
  for (const character of [...CONTROLS, ...DIRECTIONS, ...LINE_BREAKS]) {
    expect(isShownLine(`a${character}b`)).toBe(false);
  }
});

testRows(
  "a name may be of any script",
  [
    "Ōtautahi",
    "地震 目録",
    "שלום עולם",
    "فهرس الزلازل",
    "👩‍🚀 Zürich–Genève",
    "می‌خواهم",
    "a\u00a0b\u00adc",
  ],
  (name) => {
    expect(isShownLine(name)).toBe(true);
  },
);

testRows(
  "a name holds something that can be seen",
  ["\u200b", "\ufeff", "\u3164\u115f", " \u00ad \u2060", "\u{e0041}\u{e0042}"],
  (name) => {
    expect(isShownLine(name)).toBe(false);
    expect(isShownLine(`${name}a`)).toBe(true);
  },
);

test("a name holds no half of a character", () => {
  expect(isShownLine("a\ud800b")).toBe(false);
});

test("a longer text may have lines and tabs, and nothing else that a name may not", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, (given) => {
      expect(isShownText(given)).toBe(isShownLine(given.replaceAll(/[\t\r\n]/g, "")));
    }),
  );
  expect(isShownText("one\r\ntwo\n\tthree")).toBe(true);
});

/** The file name as a client understands it: the extended parameter wins (RFC 6266). */
function nameIn(header: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/.exec(header)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="?([^";]+)"?/.exec(header)?.[1] ?? "";
}

testRows(
  "the file of an export is named for its catalogue",
  [
    ["Cook Strait", "Cook Strait v3.csv"],
    ["Kaikōura 2016 🌏", "Kaikōura 2016 🌏 v3.csv"],
    ["../../etc/passwd", "etc passwd v3.csv"],
    ["..\\..\\windows\\system32", "windows system32 v3.csv"],
    [".hidden", "hidden v3.csv"],
    ['a"b\r\nX-Evil: 1\0', "a b X-Evil 1 v3.csv"],
    ["...", "catalogue v3.csv"],
    ["????", "catalogue v3.csv"],
    ["\u202Egpj.exe", "gpj.exe v3.csv"],
    [`${"ō".repeat(255)}`, `${"ō".repeat(100)} v3.csv`],
  ],
  (name, file) => {
    const header = attachment(name, 3, "csv");
    expect(nameIn(header)).toBe(file);
    expect(header).toMatch(/^attachment; [\x20-\x7e\xa0-\xff]*$/);
  },
);

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
