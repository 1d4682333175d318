import type { Random } from "./random.ts";
import { RawJson } from "./raw-json.ts";

/** Texts that parsers, databases, terminals and spreadsheets have stumbled over. */
const TEXTS: readonly string[] = [
  "",
  " ",
  "\t\n\v\f\r",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\uffff\ufeff\u200b",
  "\u202etxt.exe",
  "\u0085\u2028\u2029",
  "😀".repeat(300),
  "e\u0301".repeat(2_000),
  "İıſK",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "' OR 1=1 --",
  "\\'; drop table catalogues; --",
  "%",
  "%00",
  "%ff%fe",
  "%c0%ae",
  "../../../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "<script>alert(1)</script>",
  "=HYPERLINK(1)",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what loggers have been attacked with
  "${jndi:ldap://127.0.0.1/a}",
  "a\r\nx-injected: 1",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "[object Object]",
  "NaN",
  "Infinity",
  "-0",
  "1e400",
  "-1e-400",
  "0x10",
  "1_000",
  "٣",
  "9007199254740993",
  "-9223372036854775809",
  "2147483648",
  "1.7976931348623157e309",
  "0.1e",
  "+1",
  ".",
  "2024-13-45T99:99:99Z",
  "0000-00-00",
  "-000001-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "9999-12-31T23:59:60.9999999Z",
  "2024-02-30",
  "2024-01-01T00:00:00+99:99",
  "now()",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "550e8400e29b41d4a716446655440000",
  "a@b",
  "a@b@c.d",
  `${"a".repeat(300)}@example.org`,
  "Bearer",
  "*",
  'W/"1"',
  '"1-',
];

/** Texts whose length is what is hostile. */
const LONG: readonly ((random: Random) => string)[] = [
  (random) => "a".repeat(10 ** (3 + random.below(3))),
  (random) => "9".repeat(10 ** (2 + random.below(3))),
  (random) => "<!---->".repeat(10 ** (2 + random.below(2))),
  (random) => ",".repeat(10 ** (2 + random.below(3))),
  (random) => `${" ".repeat(10 ** (3 + random.below(2)))}x`,
  (random) => `${"0".repeat(10 ** (3 + random.below(2)))}.`,
  (random) => "?token=".repeat(10 ** (2 + random.below(2))),
];

const NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1,
  90.0001,
  -180.0001,
  1e-320,
  5e-324,
  1e21,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
];

/** What no serialiser writes. */
const RAW: readonly string[] = [
  "1e999",
  "-1e999",
  "-",
  "01",
  "1.",
  ".5",
  "NaN",
  "'a'",
  "undefined",
  '"\\ud800"',
  '"\\u0000"',
  '"\\x41"',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":1,"a":2}',
  "[".repeat(5_000),
  `${"[".repeat(500)}${"]".repeat(500)}`,
  `${'{"a":'.repeat(500)}1${"}".repeat(500)}`,
  `[${"0,".repeat(20_000)}0]`,
  "123456789".repeat(100),
];

export function hostileText(random: Random): string {
  return random.chance(0.15) ? random.pick(LONG)(random) : random.pick(TEXTS);
}

/** Any value of JSON, and some that are none. */
export function hostileValue(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(NUMBERS);
    case 3:
      return new RawJson(random.pick(RAW));
    case 4:
      return [hostileText(random), null, random.pick(NUMBERS)];
    case 5:
      return { [hostileText(random)]: hostileText(random), id: null };
    default:
      return hostileText(random);
  }
}
