import { type CommonQueryMethods, sql } from "slonik";

/** Stores the permissions of each role; a changed definition replaces the stored one. */
export async function storeRoleDefinitions(
  pool: CommonQueryMethods,
  definitions: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const rows = Object.entries(definitions).map(
    ([role, permissions]) => sql.fragment`(${role}, ${sql.array(permissions, "text")})`,
  );
  await pool.query(sql.unsafe`
    insert into vault.role_definitions (role, permissions)
    values ${sql.join(rows, sql.fragment`, `)}
    on conflict (role) do update set permissions = excluded.permissions`);
}
