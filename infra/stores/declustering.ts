import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import {
  ClusterRole,
  DeclusterMethod,
  type Derivation,
} from "#contracts/analytics/declustering.ts";
import type { ClientStatements } from "../postgres/statements.ts";

export type DeclusterResult = Omit<Derivation, "role"> & { readonly id: string };

/** Labels by column, in order of time. Roles are the places of `ClusterRole`. */
export type LabelColumns = {
  readonly ids: readonly string[];
  readonly clusters: Int32Array;
  readonly roles: Uint8Array;
};

const Row = z.object({
  id: z.uuid(),
  catalogueId: z.uuid(),
  version: z.int(),
  filters: z.record(z.string(), z.string()),
  method: DeclusterMethod,
});

const Label = z.object({
  place: z.int(),
  id: z.uuid(),
  cluster: z.int().nullable(),
  role: ClusterRole,
});

/** Results of one catalogue that are kept. */
const KEPT = 20;
/** Rows of one statement. */
const AT_ONCE = 10_000;
const ROLES = ClusterRole.options;

/** Keeps a result, and drops the oldest of its catalogue beyond those that are kept. */
export async function keepResult(
  { run }: Pick<ClientStatements, "run">,
  { id, catalogueId, version, filters, method }: DeclusterResult,
  { ids, clusters, roles }: LabelColumns,
): Promise<void> {
  await run(sql.unsafe`
    insert into operations.decluster_results (id, catalogue_id, version, filters, method)
    values (${id}::uuid, ${catalogueId}::uuid, ${version}, ${JSON.stringify(filters)},
      ${JSON.stringify(method)})`);
  for (let first = 0; first < ids.length; first += AT_ONCE) {
    const end = first + AT_ONCE;
    await run(sql.unsafe`
      insert into operations.decluster_labels (result, place, event_id, cluster, role)
      select ${id}::uuid, ${first} + place - 1, event_id, cluster, role
      from unnest(${sql.array(ids.slice(first, end), "uuid")},
        ${sql.array([...clusters.subarray(first, end)], "int4")},
        ${sql.array([...roles.subarray(first, end)], "int2")})
        with ordinality as t (event_id, cluster, role, place)`);
  }
  await run(sql.unsafe`
    delete from operations.decluster_results where id in (
      select id from operations.decluster_results where catalogue_id = ${catalogueId}::uuid
      order by created_at desc offset ${KEPT})`);
}

/** Null where there is none, or it is of another catalogue. */
export function findResult(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  id: string,
  catalogueId: string,
): Promise<DeclusterResult | null> {
  return pool.maybeOne(sql.type(Row)`
    select id, catalogue_id as "catalogueId", version, filters, method
    from operations.decluster_results
    where id = ${id}::uuid and catalogue_id = ${catalogueId}::uuid`);
}

/** Labels of one role or of all from a place on, in order of time. */
export function readLabels(
  pool: Pick<CommonQueryMethods, "any">,
  result: string,
  { role, from, limit }: { role: ClusterRole | undefined; from: number; limit: number },
) {
  const ofRole = role === undefined ? sql.fragment`true` : ofRoleOf(role);
  return pool.any(sql.type(Label)`
    select place, event_id as id, nullif(cluster, 0) as cluster,
      (${sql.array(ROLES, "text")})[role + 1] as role
    from operations.decluster_labels
    where result = ${result}::uuid and place >= ${from} and ${ofRole}
    order by place limit ${limit}`);
}

/** The condition for labels of a role. */
export function ofRoleOf(role: ClusterRole) {
  return sql.fragment`role = ${ROLES.indexOf(role)}`;
}

/** Drops the results of deleted catalogues, and those from before a time. */
export async function dropOldResults(pool: Pick<CommonQueryMethods, "query">, before: Date) {
  await pool.query(sql.unsafe`
    delete from operations.decluster_results
    where created_at < ${before.toISOString()}::timestamptz
      or catalogue_id not in (select id from read_model.catalogues)`);
}
