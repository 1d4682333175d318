import type { DatabasePool } from "slonik";
import type { Operations } from "#contracts/http/operations.ts";
import type { Lookups } from "#infra/postgres/prepared-statements.ts";
import { resolveVersion } from "#projections/queries/resolve-version.ts";
import { listVersions } from "#projections/queries/version-queries.ts";
import { versionTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";

export function listVersionsHandler({
  pool,
  lookups,
}: {
  pool: DatabasePool;
  lookups: Lookups;
}): Handler<Operations["listVersions"]> {
  return async ({ params }) => {
    const latest = await resolveVersion(lookups, params.id);
    const versions = await listVersions(pool, latest);
    return { body: { versions: [...versions] }, headers: { etag: versionTag(latest.version) } };
  };
}
