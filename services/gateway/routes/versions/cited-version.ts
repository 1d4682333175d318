import type { VersionRecord } from "#contracts/http/versions.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { filtersInWords } from "#contracts/query/filters-in-words.ts";
import type { CitedVersion } from "#infra/formats/citation.ts";
import type { FoundVersion } from "#services/versions/version-record.ts";

/** What the handlers of a version's record and its citation need. */
export type RecordNeeds = "lookups" | "versionHistories" | "versionHasher" | "publicBaseUrl";

type Cited = Pick<FoundVersion, "history" | "entry"> & {
  readonly record: Pick<VersionRecord, "sha256" | "sources">;
  /** Of what is cited of the version; absent for all of it. */
  readonly filters?: EventFilters;
  /** Where they are not those of the bounds. */
  readonly longitudes?: CitedVersion["longitudes"];
};

export function citedVersion(
  publicBaseUrl: string,
  catalogueId: string,
  { history, entry, record, filters = {}, longitudes = null }: Cited,
): CitedVersion {
  const addressOf = (id: string) => `${publicBaseUrl}/api/catalogues/${id}`;
  const versionAt = (id: string, version: number) => `${addressOf(id)}/versions/${version}`;
  const { version, previous, committedAt, eventCount, bounds } = entry;
  return {
    catalogueId,
    version,
    address: versionAt(catalogueId, version),
    catalogueAddress: addressOf(catalogueId),
    name: history.name,
    committedAt,
    eventCount,
    bounds,
    longitudes,
    sha256: record.sha256,
    previous: previous === null ? null : versionAt(catalogueId, previous),
    sources: record.sources.flatMap(({ catalogue_id: id, version: used }) =>
      id === null ? [] : versionAt(id, used),
    ),
    metadata: history.metadata,
    filters: filtersInWords(filters),
  };
}
