import { CITATION_FORMATS } from "#contracts/http/versions.ts";
import { CITATION_WRITERS } from "#infra/formats/citation.ts";
import { staying } from "#infra/kernel/fair-queue.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { smallestBoxAt } from "#projections/catalogues/longitude-box.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { restoreVersionCommand } from "#services/commands/restore/restorer.ts";
import { type FoundVersion, readVersionRecord } from "#services/versions/version-record.ts";
import { acceptedType } from "../../http/headers/accepted-type.ts";
import { changesTag, contentTag, eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import { room } from "../../http/room.ts";
import type { MakeHandler } from "../make-handler.ts";
import { citedVersion, type RecordNeeds } from "./cited-version.ts";
import { getDiffHandler } from "./diff.ts";
import { versionHeaders } from "./version-links.ts";

/** Also of a deleted catalogue: what was cited stays citable. */
const getCitationHandler: MakeHandler<"getCitation", RecordNeeds> =
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

const getVersionHandler: MakeHandler<"getVersion", RecordNeeds> =
  (deps) =>
  async ({ params, reader, isGuest, accept, asker }) => {
    const { id: catalogueId, version } = params;
    const facts = await readVersionRecord(deps, { catalogueId, version, reader, asker });
    const { history, record } = facts;
    // Who made it is for signed-in callers.
    const isPublic = isGuest && facts.isPublic;
    const { publicFrom, isDeleted } = history;
    const cited = citedVersion(deps.publicBaseUrl, catalogueId, facts);
    const headers = { ...versionHeaders(cited, isDeleted), vary: "Accept" };
    const body = { version: record };
    if (isDeleted) {
      const gone = { error: "The catalogue was deleted", code: "GONE" } as const;
      const citation = CITATION_WRITERS.text(cited);
      return { status: 410, body: { ...gone, ...body, citation }, headers };
    }
    // Whoever asks for HTML is a person, for whom the console has a page.
    const isShared = reader.kind === "share";
    if (!isShared && acceptedType(accept, ["application/json", "text/html"]) === "text/html") {
      const location = `/catalogues/${catalogueId}?asOf=${version}`;
      return { status: 303, body, headers: { ...headers, location }, isPublic, isVersioned: true };
    }
    const etag = isGuest ? changesTag(version, publicFrom ?? 0) : versionTag(version);
    return { body, headers: { ...headers, etag }, isPublic, isVersioned: true };
  };

/** Runs to its end, whether the client waits or not. */
const restoreVersionHandler: MakeHandler<
  "restoreVersion",
  "context" | "lookups" | "versionHistories" | "restorer" | "runner"
> =
  ({ runner, ...deps }) =>
  async ({ params, command, ifMatch, asker }) => {
    const wanted = {
      catalogueId: params.id,
      version: params.version,
      precondition: eventsUnchanged(ifMatch),
    };
    const { version } = await runner.attend(staying(asker), (run) =>
      restoreVersionCommand(deps, command, wanted, run),
    );
    return { body: { version }, headers: { etag: versionTag(version) } };
  };

export const handlersOfVersions = room({
  getVersion: getVersionHandler,
  getCitation: getCitationHandler,
  getDiff: getDiffHandler,
  restoreVersion: restoreVersionHandler,
});
