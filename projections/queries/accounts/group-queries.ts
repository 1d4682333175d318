import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { Group } from "#contracts/http/groups.ts";
import { isoTimes } from "#infra/postgres/iso-time.ts";

const groupsWhere = (condition: FragmentSqlToken) => sql.type(Group)`
  select id, name, ${isoTimes("created_at", "updated_at")}, coalesce((
      select json_agg(user_id order by user_id) from read_model.group_members m
      where m.group_id = g.id::text), '[]') as members
  from read_model.groups g where ${condition}
  order by lower(name), id`;

/** All groups, by name. */
export function listGroups(pool: CommonQueryMethods): Promise<readonly Group[]> {
  return pool.any(groupsWhere(sql.fragment`true`));
}

/** @param id UUID */
export function findGroup(pool: CommonQueryMethods, id: string): Promise<Group | null> {
  return pool.maybeOne(groupsWhere(sql.fragment`id = ${id}::uuid`));
}

/** Those of some ids that are of no user. */
export async function unknownUsers(
  pool: CommonQueryMethods,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await pool.any(sql.type(z.object({ id: z.string() }))`
    select wanted.id from unnest(${sql.array([...ids], "text")}) wanted(id)
    where not exists (select from read_model.users u where u.id = wanted.id)`);
  return rows.map(({ id }) => id);
}
