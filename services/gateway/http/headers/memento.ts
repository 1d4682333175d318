/** Versions by time, as RFC 7089 (Memento) has it: every read that takes `asOf` is a TimeGate. */
import type { FastifyRequest } from "fastify";
import { invalid } from "#contracts/errors.ts";
import type { Operation } from "#contracts/http/operation.ts";
import { versionOf } from "#services/domain/versions.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";

type DatedRequest = Pick<FastifyRequest, "headers" | "params" | "query" | "url">;

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

/** `Memento-Datetime` of a version: when it was committed, to the second. */
export function mementoDatetime(committedAt: string): { "memento-datetime": string } {
  return { "memento-datetime": new Date(committedAt).toUTCString() };
}

/** The version of an answer, by its entity tag, which begins with it. */
const TAGGED_VERSION = /^"(\d+)/;

type MementoDeps = {
  readonly versionHistories: VersionHistories;
  readonly publicBaseUrl: string;
};

/** The answer to a read by time, with the headers that say which version it is. */
export async function asMemento<A extends { readonly headers?: Readonly<Record<string, string>> }>(
  { versionHistories, publicBaseUrl }: MementoDeps,
  { url }: Pick<DatedRequest, "url">,
  catalogueId: string | undefined,
  answer: A,
): Promise<A> {
  const version = Number(TAGGED_VERSION.exec(answer.headers?.["etag"] ?? "")?.[1]);
  const history = catalogueId && (await versionHistories.read(catalogueId));
  const entry = history ? versionOf(history, version) : undefined;
  if (entry === undefined) return answer;
  const original = publicBaseUrl + url;
  const memento = new URL(original);
  memento.searchParams.set(url.includes("/fdsnws/") ? "asof" : "asOf", String(version));
  const links = [
    `<${original}>; rel="original timegate"`,
    `<${publicBaseUrl}/api/catalogues/${catalogueId}/versions>; rel="timemap"; type="application/link-format"`,
  ];
  const headers = {
    ...answer.headers,
    ...mementoDatetime(entry.committedAt),
    "content-location": memento.href.slice(publicBaseUrl.length),
    link: [answer.headers?.["link"], ...links].filter(Boolean).join(", "),
  };
  return { ...answer, headers };
}
