import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";

/** Users with a personal key that the read model does not show: deleted, or not yet registered. */
export function listOrphanedKeys(pool: CommonQueryMethods): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(z.object({ user_id: z.string() }))`
    select k.user_id from vault.user_keys k
    where not exists (select from read_model.users u where u.id = k.user_id)
    order by k.user_id`);
}
