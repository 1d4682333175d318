import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { servedEvents } from "../support/agency/generated-events.ts";
import { textHead, writeText } from "../support/agency/geonet-text.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../support/agency/geonet-xml.ts";
import type { Random } from "../support/random.ts";
import type { ApiOperation } from "./api-document.ts";
import type { Kind } from "./known-ids.ts";
import {
  hostileText,
  hostileValue,
  RawJson,
  type ValueDeps,
  validValue,
  writeJson,
} from "./values.ts";

/** What stands between the parts of some format. */
const TOKENS: readonly string[] = [
  ...["\0", "\r", "\n\n\n", "\ufeff", '"', '""', '",', "'", ",,,,", ";", "|", "\t", "#", "-999"],
  ...["1e999", "<!--", "-->"],
  "<!---->".repeat(50),
  ...["<![CDATA[", "]]>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "&#x0;", "&#1114112;"],
  ...["<?xml version='1.1'?>", "</event>", "<event>"],
  "<a>".repeat(80),
  ...['{"a":', "[", "]", "}", "\\u0000", "\\ud800", '"__proto__":1,', "NaN"],
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

export type BaseFile = { readonly name: string; readonly bytes: Buffer };

const FIXTURES = join(import.meta.dirname, "../fixtures");
const EVENTS = 40;

/** Files of every format that is read, as they should be. */
export function baseFiles(): BaseFile[] {
  const fixtures = globSync(["formats/**/*.*", "*.csv"], { cwd: FIXTURES }).map((name) => ({
    name,
    bytes: readFileSync(join(FIXTURES, name)),
  }));
  const events = [...servedEvents(7, EVENTS)];
  const xml = XML_HEAD + events.map((event) => writeXml(event, 1)).join("") + XML_TAIL;
  const text =
    textHead(true) +
    events.map((event) => writeText(event, { rounded: true, typed: true })).join("");
  return [
    ...fixtures,
    { name: "agency.xml", bytes: Buffer.from(xml) },
    { name: "agency.txt", bytes: Buffer.from(text) },
  ];
}

/** A request that is being made: still apart, so that each part can be spoiled. */
export type Draft = {
  method: string;
  path: string;
  readonly params: Map<string, string>;
  readonly query: [name: string, value: string][];
  readonly headers: Map<string, string>;
  /** Undefined where there is none. */
  json: unknown;
  /** Instead of `json`. */
  bytes: Buffer | null;
  /** True once it does not show its role's session. */
  isGuest: boolean;
};

const HEADER_SHARE = 0.1;

const KIND_OF_PATH: readonly (readonly [prefix: string, kind: Kind])[] = [
  ["/api/users", "users"],
  ["/api/role-requests", "role-requests"],
  ["/api/operations", "operations"],
  ["/api/notifications", "notifications"],
];

/** A request as the document asks for it. */
export function validDraft(operation: ApiOperation, deps: ValueDeps): Draft {
  const { random, known } = deps;
  const draft: Draft = {
    method: operation.method,
    path: operation.path,
    params: new Map(),
    query: [],
    headers: new Map(),
    json: undefined,
    bytes: null,
    isGuest: false,
  };
  for (const { name, in: place, required, schema } of operation.parameters) {
    const value = () => percent(String(validValue(schema, name, deps)));
    if (place === "path") {
      draft.params.set(name, known.one(kindOf(operation, name), random) ?? value());
    } else if (place === "query" && (required || random.chance(1 / operation.parameters.length))) {
      draft.query.push([name, value()]);
    } else if (place === "header" && random.chance(HEADER_SHARE)) {
      draft.headers.set(name.toLowerCase(), String(validValue(schema, name, deps)));
    }
  }
  const { body } = operation;
  if (body !== null) {
    draft.headers.set("content-type", "application/json");
    draft.json = validValue(body.schema, "", deps);
  }
  return draft;
}

function kindOf({ path }: ApiOperation, name: string): Kind {
  if (name === "eventId") return "events";
  return KIND_OF_PATH.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "catalogues";
}

/** Text as a part of an address. */
function percent(text: string): string {
  return Buffer.from(text)
    .toString("latin1")
    .replaceAll(
      /[^\w.~-]/g,
      (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
}

/** The request's target as it goes over the wire. */
export function targetOf({ path, params, query }: Draft): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params.get(name) ?? "");
  const search = query.map(([name, value]) => `${name}=${value}`).join("&");
  return search === "" ? filled : `${filled}?${search}`;
}

export function bodyOf({ json, bytes }: Draft): Buffer | null {
  return bytes ?? (json === undefined ? null : Buffer.from(writeJson(json)));
}

const MAX_HEADER = 8_000;

/** The headers as a client can send them. */
export function headersOf({ headers }: Draft): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [
      name,
      value
        .slice(0, MAX_HEADER)
        .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?")
        .trim(),
    ]),
  );
}

/** The value with one of its members, at whatever depth, replaced, left out, renamed or added. */
function spoilJson(value: unknown, random: Random): unknown {
  if (
    typeof value !== "object" ||
    value === null ||
    value instanceof RawJson ||
    random.chance(0.1)
  ) {
    return hostileValue(random);
  }
  if (Array.isArray(value)) return spoilList(value, random);
  return spoilObject(value as Readonly<Record<string, unknown>>, random);
}

function spoilList(list: readonly unknown[], random: Random): unknown[] {
  const at = random.below(list.length + 1);
  switch (random.below(4)) {
    case 0:
      return list.toSpliced(at, 1);
    case 1:
      return list.toSpliced(at, 0, hostileValue(random));
    case 2:
      return Array.from({ length: random.below(2_000) }, () => list[at]);
    default:
      return at < list.length ? list.with(at, spoilJson(list[at], random)) : [...list, ...list];
  }
}

function spoilObject(
  object: Readonly<Record<string, unknown>>,
  random: Random,
): Record<string, unknown> {
  const members = Object.entries(object);
  const [name, value] = members[random.below(members.length)] ?? ["a", null];
  const { [name]: _, ...others } = object;
  switch (random.below(6)) {
    case 0:
      return others;
    case 1:
      return { ...others, [hostileText(random)]: value };
    case 2:
      return { ...object, [hostileText(random)]: hostileValue(random) };
    case 3:
      return { ...object, [`x${random.below(9)}`]: nested(random.below(200)) };
    default:
      return { ...object, [name]: spoilJson(value, random) };
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

type SpoilDraft = (draft: Draft, random: Random) => void;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];
const CONTENT_TYPES = [
  ...["", "text/plain", "application/json; charset=utf-16", "application/json;"],
  ...["application/x-www-form-urlencoded", "multipart/form-data"],
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"x".repeat(500)}`,
  "application/xml",
  "a/b; c=d; c=d",
  "application/json\t; charset=\u00ff",
];
const HEADERS =
  `
  accept accept-encoding accept-language content-encoding if-match if-none-match
  if-modified-since idempotency-key prefer range origin referer x-forwarded-for
  x-forwarded-proto x-forwarded-host x-request-id x-http-method-override forwarded te
  via access-control-request-method access-control-request-headers accept-version
  accept-datetime last-event-id`.match(/\S+/g) ?? [];
const HEADER_VALUES = [
  ...["*", "gzip", "br;q=9", "bytes=0-0,-1", "application/vnd.unknown+json;q=0.0001, */*;q=0"],
  ...["respond-async, wait=99999999999, return=minimal; foo", '"1", W/"2", *'],
  ...["http://127.0.0.1, null", "127.0.0.1, ::1, unknown", "Thu, 99 Foo 2024 99:99:99 GMT"],
  "\u00e9\u00ff",
];

const DRAFT_SPOILS: readonly SpoilDraft[] = [
  function param(draft, random) {
    const names = [...draft.params.keys()];
    if (names.length > 0) draft.params.set(random.pick(names), part(random));
  },
  function query(draft, random) {
    const [name] = draft.query.length > 0 ? random.pick(draft.query) : [part(random)];
    draft.query.push([name, part(random)]);
  },
  function queryValue(draft, random) {
    if (draft.query.length > 0) random.pick(draft.query)[1] = part(random);
  },
  function queryName(draft, random) {
    const shape = random.pick(["[]", "[__proto__]", "[a][b]", ".a", "%00", ""]);
    draft.query.push([`${random.pick(["limit", "asOf", "__proto__", "page"])}${shape}`, "1"]);
  },
  function manyQueries(draft, random) {
    for (let i = 0; i < 10 ** (1 + random.below(2)); i++) draft.query.push([`a${i}`, "1"]);
  },
  function header(draft, random) {
    const value = random.chance(0.5) ? random.pick(HEADER_VALUES) : hostileText(random);
    draft.headers.set(random.pick(HEADERS), value);
  },
  function contentType(draft, random) {
    draft.headers.set("content-type", random.pick(CONTENT_TYPES));
  },
  function session(draft, random) {
    const values = ["Bearer", "Bearer x.y.z", "Basic YTpi", "bearer  ", hostileText(random)];
    const value = random.pick(values);
    draft.headers.set("authorization", value);
    draft.headers.set("cookie", `session=${hostileText(random)}; session=; __proto__=1`);
    draft.isGuest = true;
  },
  function method(draft, random) {
    draft.method = random.pick(METHODS);
  },
  function path(draft, random) {
    const tail = random.pick("/ // /. /.. ;a=b %2f %00 % /%2e%2e/ ? #".split(" "));
    draft.path = random.chance(0.5)
      ? `${draft.path}${tail}`
      : draft.path.replace("/api", "/API/..//api");
  },
  function body(draft, random) {
    if (draft.json === undefined) draft.json = hostileValue(random);
    draft.headers.set("content-type", "application/json");
  },
  function bodyBytes(draft, random) {
    if (draft.json === undefined) return;
    const bytes = Buffer.from(writeJson(draft.json));
    draft.bytes = mutateBytes(bytes, random, [bytes]);
  },
  spoilMember,
  spoilMember,
  spoilMember,
  spoilMember,
];

function spoilMember(draft: Draft, random: Random): void {
  if (draft.json !== undefined) draft.json = spoilJson(draft.json, random);
}

/** Spoils a request in one to three ways. */
export function spoilDraft(draft: Draft, random: Random): void {
  for (let i = 0; i <= random.below(3); i++) random.pick(DRAFT_SPOILS)(draft, random);
}

const MAX_PART = 3_000;

/** A hostile text in an address, escaped or, as far as a client can send it so, not. */
function part(random: Random): string {
  const text = hostileText(random).slice(0, MAX_PART);
  return random.chance(0.7) ? percent(text) : text.replaceAll(/[^\x21-\x7e]/g, "%");
}
