import type { Random } from "./random.ts";

/** What stands between the parts of some format. */
const TOKENS: readonly string[] = [
  "\0",
  "\r",
  "\n\n\n",
  "\ufeff",
  '"',
  '""',
  '",',
  "'",
  ",,,,",
  ";",
  "|",
  "\t",
  "#",
  "-999",
  "1e999",
  "<!--",
  "-->",
  "<!---->".repeat(50),
  "<![CDATA[",
  "]]>",
  "<!DOCTYPE a [<!ENTITY b 'c'>]>",
  "&b;",
  "&#x0;",
  "&#1114112;",
  "<?xml version='1.1'?>",
  "</event>",
  "<event>",
  "<a>".repeat(80),
  '{"a":',
  "[",
  "]",
  "}",
  "\\u0000",
  "\\ud800",
  '"__proto__":1,',
  "NaN",
  "\u0001\u0002\u0003",
];

const MAX_BYTES = 3 * 1024 * 1024;

type Spoil = (bytes: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

const SPOILS: readonly Spoil[] = [
  function flip(bytes, random) {
    const changed = Buffer.from(bytes);
    for (let i = 0; i <= random.below(20); i++) {
      if (changed.length > 0) changed[random.below(changed.length)] = random.below(256);
    }
    return changed;
  },
  function cutOff(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1));
  },
  function leaveOut(bytes, random) {
    const [from, to] = span(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  function repeat(bytes, random) {
    const [from, to] = span(bytes, random);
    const times = 1 + random.below(10 ** random.below(4));
    const part = bytes.subarray(from, to);
    const most = Math.max(1, Math.floor(MAX_BYTES / Math.max(1, part.length)));
    const parts = Array.from({ length: Math.min(times, most) }, () => part);
    return Buffer.concat([bytes.subarray(0, from), ...parts, bytes.subarray(from)]);
  },
  function insert(bytes, random) {
    const at = random.below(bytes.length + 1);
    const token = Buffer.from(random.pick(TOKENS).repeat(1 + random.below(3)));
    return Buffer.concat([bytes.subarray(0, at), token, bytes.subarray(at)]);
  },
  function splice(bytes, random, others) {
    const other = random.pick(others);
    const [from, to] = span(other, random);
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), other.subarray(from, to), bytes.subarray(at)]);
  },
  function recode(bytes, random) {
    const text = bytes.toString("utf8");
    const encoding = random.pick(["utf16le", "latin1"] as const);
    const mark = random.chance(0.5) ? "\ufeff" : "";
    return Buffer.from(mark + text, encoding);
  },
  function widen(bytes, random) {
    const at = random.below(bytes.length + 1);
    const wide = Buffer.alloc(10 ** (3 + random.below(4)), random.pick(["a", "0", " ", ",", '"']));
    return Buffer.concat([bytes.subarray(0, at), wide, bytes.subarray(at)]);
  },
];

/** A part of the bytes, mostly a short one. */
function span(bytes: Buffer, random: Random): [from: number, to: number] {
  const from = random.below(bytes.length + 1);
  const length = random.below(Math.min(bytes.length - from, 10 ** (1 + random.below(4))) + 1);
  return [from, from + length];
}

/** The bytes, spoiled in one to four ways. @param others what parts may be taken from */
export function mutateBytes(bytes: Buffer, random: Random, others: readonly Buffer[]): Buffer {
  let spoiled = bytes;
  for (let i = 0; i <= random.below(4); i++) spoiled = random.pick(SPOILS)(spoiled, random, others);
  return spoiled.subarray(0, MAX_BYTES);
}
