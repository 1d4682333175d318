/** Headers that a request is read by and an answer has: entity tags, what a client accepts and prefers, the time and the key of a request. */

import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import { type CatalogueMetadata, StoredMetadata } from "#contracts/catalogue-metadata.ts";
import { invalid } from "#contracts/errors.ts";
import { type Operation, scopeOf } from "#contracts/http/operation.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import type { CatalogueAccess, Editing } from "#contracts/rights.ts";
import type { Precondition } from "./streams.ts";

const TAG_HASH_DIGITS = 12;

/** Entity tag of reads of a catalogue's events: the version read. */
export function versionTag(version: number): string {
  return `"${version}"`;
}

/** Entity tag of a further form of what is read of a version, at the same address. */
export function formTag(version: number, form: string): string {
  return `"${version}-as-${form}"`;
}

/**
 * Entity tag of what clients of the field read of a version: it shows the catalogue's name, which changes
 * without a version, and not every address names the catalogue.
 */
export function facadeTag(
  { version, id }: { readonly version: number; readonly id: string },
  name: string,
): string {
  return `"${version}-of-${digest(JSON.stringify([id, name]))}"`;
}

/** Entity tag of a small answer that no version tells apart. */
export function contentTag(content: string): string {
  return `"is-${digest(content)}"`;
}

/** Entity tag of what is computed from a version: the version and all parameters. */
export function parametersTag(version: number, parameters: string): string {
  return `"${version}-by-${digest(parameters)}"`;
}

/** Entity tag of what is read of a version and of the time since: changes every minute. */
export function minuteTag(version: number, minute: number): string {
  return `"${version}-at-${minute}"`;
}

/**
 * Entity tag of the changes that guests see: those from a version on. That version may become an
 * earlier one while the latest stays, and other callers see more.
 */
export function changesTag(version: number, from: number): string {
  return `"${version}-from-${from}"`;
}

/**
 * Entity tag of a catalogue itself: its version, its name, who may read which versions and who changes it, its
 * metadata.
 */
export function catalogueTag(catalogue: TaggedCatalogue): string {
  return `"${catalogue.version}-${hashOf(catalogue)}"`;
}

/** Entity tag of a catalogue as guests see it, which is a different answer. */
export function guestTag(catalogue: TaggedCatalogue): string {
  return `"${catalogue.version}-${hashOf(catalogue)}-guest"`;
}

type TaggedCatalogue = {
  readonly version: number;
  readonly name: string;
  readonly public_from: number | null;
  readonly access: CatalogueAccess;
  readonly editing: Editing;
  readonly metadata: CatalogueMetadata | null;
};

function hashOf(catalogue: TaggedCatalogue): string {
  const { version, name, public_from, metadata, access, editing } = catalogue;
  const described = metadata && StoredMetadata.parse(metadata);
  const isUsual = access !== "restricted" && editing === "all";
  const rest = [...(described ? [described] : []), ...(isUsual ? [] : [{ access, editing }])];
  return digest(JSON.stringify([version, name, public_from, ...rest]));
}

function digest(content: string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, TAG_HASH_DIGITS);
}

const ENTITY_TAG = /(?:W\/)?"[^"]*"|\*/g;

/** The tags of `If-Match` or `If-None-Match` (RFC 9110, 13.1); `*` matches any. Null when absent. */
export function parseEntityTags(header: string | undefined): readonly string[] | null {
  return header === undefined ? null : (header.match(ENTITY_TAG) ?? []);
}

/** Whether one of `tags` is `tag` or `*`, for `If-Match`; weak tags do not match (RFC 9110, 8.8.3.2). */
export function matchesStrongly(tags: readonly string[], tag: string): boolean {
  return tags.includes("*") || tags.includes(tag);
}

/** Whether one of `tags` is `tag`, weak or not, or `*`: for `If-None-Match`. */
export function matchesWeakly(tags: readonly string[], tag: string): boolean {
  return tags.includes(`W/${tag}`) || matchesStrongly(tags, tag);
}

/**
 * The tag for clients after a restore: the epoch follows the version, since the same version number
 * may have had other content before.
 */
export function tagInEpoch(tag: string, epoch: string): string {
  return tag.replace(/^"(\d+)/, `"$1-${epoch}`);
}

/** The tag of an answer in which some sources of a merge are nameless: others get another answer. */
export function tagWithout(tag: string, hidden: readonly string[]): string {
  return `${tag.slice(0, -1)}-less-${digest(JSON.stringify(hidden.toSorted()))}"`;
}

/** The tag of an answer by a saved region, which may change while the version stays. */
export function tagInRegion(tag: string, { revision }: Pick<RegionArea, "revision">): string {
  return `${tag.slice(0, -1)}-in-${revision}"`;
}

const IN_REGION_OR_LESS = /(?:-in-[0-9a-f]+)?(?:-less-[0-9a-f]+)?"$/;

/** The tags without the epoch, a region and what is hidden; tags of another epoch match nothing and are dropped. */
export function tagsOfEpoch(
  tags: readonly string[] | null,
  epoch: string | null,
): readonly string[] | null {
  const whole = tags?.map((tag) => tag.replace(IN_REGION_OR_LESS, '"')) ?? null;
  if (whole === null || epoch === null) return whole;
  return whole.flatMap((tag) => {
    if (tag === "*") return [tag];
    const [, version, of, rest] = IN_EPOCH.exec(tag) ?? [];
    return of === epoch ? [`"${version}${rest}`] : [];
  });
}

/** Version, epoch, and the rest of the tag. */
const IN_EPOCH = /^"(\d+)-([0-9a-f]+)(["-].*)$/;

/** `If-Match` on a catalogue, whose tag covers name, visibility and version. */
export function catalogueUnchanged(ifMatch: readonly string[] | null): Precondition {
  if (ifMatch === null) return null;
  return ({ publicFrom, isRestricted, ...catalogue }) => {
    const access = publicFrom !== null ? "public" : isRestricted ? "restricted" : "internal";
    const tagged = { ...catalogue, public_from: publicFrom, access } as const;
    return matchesStrongly(ifMatch, catalogueTag(tagged));
  };
}

/** `If-Match` on a catalogue's events, whose tag is the version. */
export function eventsUnchanged(ifMatch: readonly string[] | null): Precondition {
  if (ifMatch === null) return null;
  return ({ version }) => matchesStrongly(ifMatch, versionTag(version));
}

/** Which of the codings `Accept-Encoding` prefers, the first where it does not mind. */
export function acceptedEncoding<T extends string>(
  { headers }: { readonly headers: Pick<IncomingHttpHeaders, "accept-encoding"> },
  encodings: readonly T[],
): T | undefined {
  return new Negotiator({ headers }).encoding([...encodings]) as T | undefined;
}

/** Which of the media types `Accept` prefers, the first where it does not mind; undefined for none. */
export function acceptedType<T extends string>(
  accept: string | undefined,
  types: readonly T[],
): T | undefined {
  return new Negotiator({ headers: { accept } }).mediaType([...types]) as T | undefined;
}

/** Whether a `Prefer` header (RFC 7240) asks for an answer before the work is done. */
export function prefersAsync(header: string | readonly string[] | undefined): boolean {
  const text = typeof header === "string" ? header : (header ?? []).join(",");
  return text.split(",").some((part) => /^\s*respond-async\s*(?:;|$)/i.test(part));
}

type DatedRequest = Pick<FastifyRequest, "headers" | "params" | "query">;

/** Whether a read can be of a version, so that `Accept-Datetime` may choose it. */
export function takesDatetime({ query }: Operation): boolean {
  return query === "fdsn" || (query !== undefined && "asOf" in query.shape);
}

/**
 * The time of `Accept-Datetime`, to the end of its second, as ISO 8601. Null without it, and where the
 * address names a version already: that one is what it is.
 * @throws Refusal VALIDATION_ERROR when it is malformed
 */
export function askedTime(operation: Operation, request: DatedRequest): string | null {
  const text = request.headers["accept-datetime"];
  if (text === undefined || !takesDatetime(operation) || isOfVersion(request)) return null;
  const time = new Date(String(text));
  // RFC 1123 in its fixed form: `Tue, 24 Nov 2026 08:00:00 GMT`.
  if (Number.isNaN(time.getTime()) || time.toUTCString() !== text) {
    throw invalid("Accept-Datetime", "is no time as RFC 1123 writes it");
  }
  return time.toISOString().replace(".000Z", ".999999Z");
}

function isOfVersion({ params, query }: DatedRequest): boolean {
  const values = params as { version?: string; at?: string };
  if (values.version !== undefined || values.at !== undefined) return true;
  return Object.keys(query as object).some((name) => name.toLowerCase() === "asof");
}

export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** Visible ASCII without spaces, so that written keys cannot be confused. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** Whether an operation accepts a key: every write by a signed-in user, and nothing that only reads. Guests have no keys. */
export function takesIdempotencyKey(operation: Operation): boolean {
  const { method, access } = operation;
  return method !== "GET" && access !== "public" && scopeOf(operation, access) !== "read";
}

/** @throws Refusal VALIDATION_ERROR */
export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && KEY.test(header)) return header;
  throw invalid(IDEMPOTENCY_KEY, "must have 1 to 255 visible ASCII characters");
}

/** The header that marks a repeated answer. */
export const REPLAYED = "idempotency-replayed";

/** Whether a request is answered once by its key. */
export function isKeyed(operation: Operation, { actor, headers }: FastifyRequest): boolean {
  // A file is known only once it has been read: its handler looks at the key.
  const takesKey = takesIdempotencyKey(operation) && operation.body !== "file";
  return takesKey && actor !== null && headers["idempotency-key"] !== undefined;
}
