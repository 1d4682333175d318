import { type Client, escapeIdentifier, escapeLiteral } from "pg";

/** The service's own, ordinary role, and its database. */
export const SERVICE_ROLE = "earthquakes";
export const SERVICE_DATABASE = "earthquakes";

async function exists(client: Client, query: string, name: string): Promise<boolean> {
  const { rowCount } = await client.query(query, [name]);
  return rowCount === 1;
}

/**
 * Creates the service's role and database when missing. The role is not a superuser, so SQL cannot
 * reach the file system; with pg_monitor readiness sees other sessions' activity.
 */
export async function provision(client: Client, password: string): Promise<void> {
  const role = escapeIdentifier(SERVICE_ROLE);
  if (!(await exists(client, "select from pg_roles where rolname = $1", SERVICE_ROLE))) {
    await client.query(
      `create role ${role} login createdb password ${escapeLiteral(password)} in role pg_monitor`,
    );
  }
  if (!(await exists(client, "select from pg_database where datname = $1", SERVICE_DATABASE))) {
    await client.query(`create database ${escapeIdentifier(SERVICE_DATABASE)} owner ${role}`);
  }
}
