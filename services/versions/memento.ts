/** Versions by time, as RFC 7089 (Memento) has it: every read that takes `asOf` is a TimeGate. */

import type { FastifyRequest } from "fastify";
import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import type { CatalogueVersion } from "#contracts/http/catalogues.ts";
import { CITATION_FORMATS } from "#contracts/http/versions.ts";
import { type CitedVersion, citeAs } from "#infra/formats/citation.ts";
import { versionOf } from "#services/domain/versions.ts";
import type { VersionHistories } from "./history.ts";

/** `Memento-Datetime` of a version: when it was committed, to the second. */
function mementoDatetime(committedAt: string): { "memento-datetime": string } {
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
  { url }: Pick<FastifyRequest, "url">,
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

type LinkedVersion = Pick<
  CitedVersion,
  "address" | "catalogueAddress" | "committedAt" | "version" | "metadata"
>;

/** Where its events are, by media type. */
const ITEMS = [
  [
    "application/json",
    ({ catalogueAddress: to, version }) => `${to}/export?format=json&asOf=${version}`,
  ],
  ["application/xml", ({ address }) => `${address}/fdsnws/event/1/query`],
] as const satisfies readonly (readonly [string, (version: LinkedVersion) => string])[];

/**
 * The headers of a version's record, its citation and its files: what it is cited as and described by (RFC
 * 8574, Signposting), and its place among the versions (RFC 7089).
 */
export function versionHeaders(version: LinkedVersion, isDeleted = false) {
  const { address, catalogueAddress, committedAt, metadata } = version;
  const datetime = mementoDatetime(committedAt);
  const { contentType } = CITATION_FORMATS.datacite;
  const items = isDeleted
    ? []
    : ITEMS.map(([type, to]) => `<${to(version)}>; rel="item"; type="${type}"`);
  const links = [
    `<${citeAs(version)}>; rel="cite-as"`,
    `<${address}/citation?format=datacite>; rel="describedby"; type="${contentType}"`,
    ...(metadata?.license ? [`<${licenseAddress(metadata.license)}>; rel="license"`] : []),
    `<${catalogueAddress}>; rel="collection"`,
    ...items,
    `<${catalogueAddress}>; rel="original"`,
    `<${catalogueAddress}/events>; rel="timegate"`,
    `<${catalogueAddress}/versions>; rel="timemap"; type="application/link-format"`,
    `<${address}>; rel="memento"; datetime="${datetime["memento-datetime"]}"`,
  ];
  return { ...datetime, link: links.join(", ") };
}

export const LINK_FORMAT = "application/link-format";

/**
 * The versions of a catalogue as a time map (RFC 7089, 5; RFC 6690), oldest first.
 * @param address the catalogue's
 * A long one has parts, of which each leads to the one with the versions before (RFC 7089, 5.1.2).
 * @param versions newest first
 * @param cursor of this part; absent for the newest
 * @param nextCursor of the part before; null for the oldest
 */
export function timeMap(
  address: string,
  versions: readonly CatalogueVersion[],
  cursor: string | undefined,
  nextCursor: string | null,
): string {
  const inOrder = versions.toReversed();
  const [first, last] = [inOrder.at(0), inOrder.at(-1)];
  const part = (of: string | undefined) =>
    `<${address}/versions${of === undefined ? "" : `?cursor=${of}`}>`;
  const span = first && last ? `; from="${datetime(first)}"; until="${datetime(last)}"` : "";
  const mementos = inOrder.map((version) => {
    const isFirst = version === first && nextCursor === null;
    const isLast = version === last && cursor === undefined;
    const places = [isFirst && "first", isLast && "last", "memento"];
    const rel = places.filter(Boolean).join(" ");
    return `<${address}/versions/${version.version}>; rel="${rel}"; datetime="${datetime(version)}"`;
  });
  const links = [
    `<${address}>; rel="original"`,
    `<${address}/events>; rel="timegate"`,
    `${part(cursor)}; rel="self"; type="${LINK_FORMAT}"${span}`,
    ...(nextCursor === null ? [] : [`${part(nextCursor)}; rel="timemap"; type="${LINK_FORMAT}"`]),
    ...mementos,
  ];
  return `${links.join(",\n")}\n`;
}

function datetime({ created_at: committedAt }: CatalogueVersion): string {
  return new Date(committedAt).toUTCString();
}
