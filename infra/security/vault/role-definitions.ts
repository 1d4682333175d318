import { type CommonQueryMethods, sql } from "slonik";

/** Keeps what each role may do; a definition that has changed replaces the one kept. */
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
