import { type Draft, percent } from "./draft.ts";
import { hostileText, hostileValue } from "./hostile-values.ts";
import { mutateBytes } from "./mutate-bytes.ts";
import type { Random } from "./random.ts";
import { writeJson } from "./raw-json.ts";
import { spoilJson } from "./spoil-json.ts";

type SpoilDraft = (draft: Draft, random: Random) => void;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"];
const CONTENT_TYPES = [
  "",
  "text/plain",
  "application/json; charset=utf-16",
  "application/json;",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"x".repeat(500)}`,
  "application/xml",
  "a/b; c=d; c=d",
  "application/json\t; charset=\u00ff",
];
const HEADERS = [
  "accept",
  "accept-encoding",
  "accept-language",
  "content-encoding",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "idempotency-key",
  "prefer",
  "range",
  "origin",
  "referer",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-request-id",
  "x-http-method-override",
  "forwarded",
  "te",
  "via",
  "access-control-request-method",
  "access-control-request-headers",
  "accept-version",
  "accept-datetime",
  "last-event-id",
];
const HEADER_VALUES = [
  "*",
  "gzip",
  "br;q=9",
  "bytes=0-0,-1",
  "application/vnd.unknown+json;q=0.0001, */*;q=0",
  "respond-async, wait=99999999999, return=minimal; foo",
  '"1", W/"2", *',
  "http://127.0.0.1, null",
  "127.0.0.1, ::1, unknown",
  "Thu, 99 Foo 2024 99:99:99 GMT",
  "\u00e9\u00ff",
];

const SPOILS: readonly SpoilDraft[] = [
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
    const value = random.pick([
      "Bearer",
      "Bearer x.y.z",
      "Basic YTpi",
      "bearer  ",
      hostileText(random),
    ]);
    draft.headers.set("authorization", value);
    draft.headers.set("cookie", `session=${hostileText(random)}; session=; __proto__=1`);
    draft.isGuest = true;
  },
  function method(draft, random) {
    draft.method = random.pick(METHODS);
  },
  function path(draft, random) {
    const tail = random.pick([
      "/",
      "//",
      "/.",
      "/..",
      ";a=b",
      "%2f",
      "%00",
      "%",
      "/%2e%2e/",
      "?",
      "#",
    ]);
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
  for (let i = 0; i <= random.below(3); i++) random.pick(SPOILS)(draft, random);
}

const MAX_PART = 3_000;

/** A hostile text in an address, escaped or, as far as a client can send it so, not. */
function part(random: Random): string {
  const text = hostileText(random).slice(0, MAX_PART);
  return random.chance(0.7) ? percent(text) : text.replaceAll(/[^\x21-\x7e]/g, "%");
}
