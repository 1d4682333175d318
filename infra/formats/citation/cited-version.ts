import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";

export type CitedVersion = {
  readonly catalogueId: string;
  readonly version: number;
  /** Of the version: `https://host/api/catalogues/<id>/versions/<n>`. */
  readonly address: string;
  /** Of the catalogue. */
  readonly catalogueAddress: string;
  /** The catalogue's. */
  readonly name: string;
  /** ISO 8601 UTC. */
  readonly committedAt: string;
  readonly eventCount: number;
  readonly bounds: Bounds;
  /** Of its smallest box, degrees, west above east across the antimeridian; null where `bounds` have them. */
  readonly longitudes: { readonly west: number; readonly east: number } | null;
  /** Of its canonical form, hex; null where it is not known. */
  readonly sha256: string | null;
  /** The address of the version before; null for the first. */
  readonly previous: string | null;
  /** The addresses of the versions that it was merged from. */
  readonly sources: readonly string[];
  readonly metadata: CatalogueMetadata | null;
  /** The filters of what was used of it, in words; empty for the whole version. */
  readonly filters: readonly string[];
};

/** What was used of the version; null for all of it. */
export const selectionOf = ({ filters }: CitedVersion): string | null =>
  filters.length === 0 ? null : `Selection: ${filters.join(", ")}`;

export const titleOf = ({ metadata, name }: CitedVersion): string => metadata?.title ?? name;

export const yearOf = ({ committedAt }: CitedVersion): string => committedAt.slice(0, 4);

export const dayOf = ({ committedAt }: CitedVersion): string => committedAt.slice(0, 10);

const DOI_PREFIX = /^https:\/\/doi\.org\//;

/** The bare DOI; null without one. */
export function doiOf({ metadata }: Pick<CitedVersion, "metadata">): string | null {
  return metadata?.doi?.replace(DOI_PREFIX, "") ?? null;
}

/** Where to find what is cited: its DOI as address, else the version. */
export function citeAs(cited: Pick<CitedVersion, "metadata" | "address">): string {
  const doi = doiOf(cited);
  if (doi === null) return cited.address;
  return `https://doi.org/${uriOf(doi.replaceAll("%", "%25")).replaceAll(/[#?]/g, encodeURIComponent)}`;
}

/** What RFC 3986 does not allow in an address is escaped. */
export function uriOf(address: string): string {
  return address.replaceAll(/[^!#-;=?-Z[\]_a-z~]/g, encodeURIComponent);
}

const bare = (id: string): string => id.slice(id.lastIndexOf("/") + 1);

export const orcidAddress = (orcid: string): string => `https://orcid.org/${bare(orcid)}`;

export const rorAddress = (ror: string): string => `https://ror.org/${bare(ror)}`;
