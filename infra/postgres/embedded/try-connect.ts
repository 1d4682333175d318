import { Client, DatabaseError } from "pg";
import { SUPERUSER } from "./cluster.ts";
import { isSameFolder, OtherFolder } from "./place.ts";

/** A database that every cluster has; the service's own may not exist yet. */
const MAINTENANCE_DATABASE = "postgres";

export function serverUrl(user: string, password: string, port: number, database: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/** SQLSTATE 57P01 to 57P03: shutting down, crashed, starting up. 53300: too many connections. */
const TRANSIENT_STATES = new Set(["57P01", "57P02", "57P03", "53300"]);

/** True for errors of a server that is starting or stopping. */
function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT_STATES.has(error.code ?? "");
  return error instanceof Error && !(error instanceof OtherFolder);
}

/** @throws OtherFolder when the server's cluster is not `clusterDir` */
export async function tryConnect(
  clusterDir: string,
  password: string,
  port: number,
): Promise<Client | null> {
  const client = new Client({
    connectionString: serverUrl(SUPERUSER, password, port, MAINTENANCE_DATABASE),
    application_name: "earthquakes service lock",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  try {
    await client.connect();
    await requireCluster(client, clusterDir);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if (isTransient(error)) return null;
    throw error;
  }
}

/** After a folder was moved while its server runs, the server knows it by the old name. */
async function requireCluster(client: Client, clusterDir: string): Promise<void> {
  const { rows } = await client.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  const folder = rows[0]?.folder ?? "";
  if (!(await isSameFolder(folder, clusterDir).catch(() => true))) {
    throw new OtherFolder(clusterDir, folder);
  }
}
