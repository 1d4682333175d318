import { readVersionRecord } from "#services/versions/version-record.ts";
import { changesTag, versionTag } from "../../http/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

export const getVersionHandler: MakeHandler<
  "getVersion",
  "lookups" | "versionHistories" | "versionHasher"
> =
  (deps) =>
  async ({ params, isGuest }) => {
    const { id: catalogueId, version } = params;
    const request = { catalogueId, version, isGuest };
    const { history, record } = await readVersionRecord(deps, request);
    const { publicFrom, isDeleted } = history;
    const body = { version: record };
    if (isDeleted) return { status: 410, body };
    return {
      body,
      headers: { etag: isGuest ? changesTag(version, publicFrom ?? 0) : versionTag(version) },
      isPublic: publicFrom !== null && version >= publicFrom,
      isVersioned: true,
    };
  };
