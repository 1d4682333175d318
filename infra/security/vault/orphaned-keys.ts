import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

/** Users with a personal key but without a row in the read model: deleted, or not yet registered. */
export function listOrphanedKeys(pool: CommonQueryMethods): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(z.object({ user_id: z.string() }))`
    select k.user_id from vault.user_keys k
    where not exists (select from read_model.users u where u.id = k.user_id)
    order by k.user_id`);
}

/**
 * Users without a personal key: the database that had it was lost, and replaced by an older or a new
 * one.
 */
export function countKeylessUsers(pool: CommonQueryMethods): Promise<number> {
  return pool.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*) as count from read_model.users u
    where not exists (select from vault.user_keys k where k.user_id = u.id)`);
}
