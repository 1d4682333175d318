import type { ClientBase } from "pg";

/** The oldest major version that the service's SQL is written for. */
const OLDEST = 17;

/** The server is of a version that the service's SQL is not written for: nothing was changed. */
export class PostgresTooOld extends Error {
  override readonly name = "PostgresTooOld";
}

/** @throws PostgresTooOld */
export async function requireServerVersion(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(`
    select current_setting('server_version_num')::integer as number,
      current_setting('server_version') as name`);
  const [version] = rows;
  if (version === undefined || version.number >= OLDEST * 10_000) return;
  throw new PostgresTooOld(
    `the server is PostgreSQL ${version.name}, and ${OLDEST} or later is needed`,
  );
}
