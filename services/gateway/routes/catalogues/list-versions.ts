import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { firstReadable, resolveVersion } from "#projections/queries/resolve-version.ts";
import { listVersions } from "#projections/queries/version-queries.ts";
import { changesTag, versionTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { withoutActor } from "./guest-view.ts";

export function listVersionsHandler({
  pool,
  lookups,
}: {
  pool: DatabasePool;
  lookups: Lookups;
}): Handler<Operations["listVersions"]> {
  return async ({ params, actor }) => {
    const isGuest = actor === null;
    const latest = await resolveVersion(lookups, { catalogueId: params.id, isGuest });
    const from = firstReadable(latest, isGuest);
    const versions = await listVersions(pool, latest, from);
    const etag = isGuest ? changesTag(latest.version, from) : versionTag(latest.version);
    return {
      body: { versions: isGuest ? versions.map(withoutActor) : [...versions] },
      headers: { etag },
      isPublic: latest.publicFrom !== null,
    };
  };
}
