import { CITATION_WRITERS } from "#infra/formats/citation/citation-formats.ts";
import { readVersionRecord } from "#services/versions/version-record.ts";
import { acceptedType } from "../../http/headers/accepted-type.ts";
import { changesTag, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { citedVersion, type RecordNeeds } from "./cited-version.ts";
import { versionHeaders } from "./version-links.ts";

export const getVersionHandler: MakeHandler<"getVersion", RecordNeeds> =
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
