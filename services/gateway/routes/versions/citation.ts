import { CITATION_FORMATS } from "#contracts/http/versions.ts";
import { CITATION_WRITERS } from "#infra/formats/citation/citation-formats.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { smallestBoxAt } from "#projections/queries/catalogues/smallest-box.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { type FoundVersion, readVersionRecord } from "#services/versions/version-record.ts";
import { contentTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { citedVersion, type RecordNeeds } from "./cited-version.ts";
import { versionHeaders } from "./version-links.ts";

/** Also of a deleted catalogue: what was cited stays citable. */
export const getCitationHandler: MakeHandler<"getCitation", RecordNeeds> =
  (deps) =>
  async ({ params, query, reader, asker }) => {
    const { id: catalogueId, version } = params;
    const { format, ...filters } = query;
    const facts = await readVersionRecord(deps, { catalogueId, version, reader, asker });
    const isBoxed = format === "datacite";
    const longitudes = isBoxed ? await longitudesOf(deps.lookups, catalogueId, facts) : null;
    const cited = citedVersion(deps.publicBaseUrl, catalogueId, { ...facts, filters, longitudes });
    const { isPublic, history } = facts;
    const { isDeleted } = history;
    const text = CITATION_WRITERS[format](cited);
    return {
      contentType: CITATION_FORMATS[format].contentType,
      headers: { ...versionHeaders(cited, isDeleted), etag: contentTag(text) },
      isPublic,
      isVersioned: !isDeleted,
      text,
    };
  };

/** A box that is at most half around the earth is the smallest one: no gap in it is wider than that outside. */
const HALF_AROUND = 180;

/**
 * Of a version's smallest box, which may lie across the antimeridian; null where it is that of its bounds,
 * and of a deleted catalogue, whose events are gone.
 */
async function longitudesOf(
  lookups: Lookups,
  catalogueId: string,
  { history, entry }: Pick<FoundVersion, "history" | "entry">,
) {
  const { min_longitude: west, max_longitude: east } = entry.bounds;
  if (west === null || east === null || east - west <= HALF_AROUND || history.isDeleted)
    return null;
  const asOf = String(entry.version);
  const rows = await resolveVersion(lookups, { catalogueId, asOf, reader: SERVICE });
  return smallestBoxAt(lookups, rows);
}
