import { licenseAddress } from "#contracts/catalogue-metadata.ts";
import { CITATION_FORMATS } from "#contracts/http/versions.ts";
import { type CitedVersion, citeAs } from "#infra/formats/citation.ts";
import { mementoDatetime } from "../../http/headers/memento.ts";

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
