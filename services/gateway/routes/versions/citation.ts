import { CITATION_FORMATS } from "#contracts/http/versions.ts";
import { CITATION_WRITERS } from "#infra/formats/citation/citation-formats.ts";
import { readVersionRecord } from "#services/versions/version-record.ts";
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
    const cited = citedVersion(deps.publicBaseUrl, catalogueId, { ...facts, filters });
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
