import type { Pool } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "#infra/postgres/statements.ts";

/** A process of the service is connected to the database. */
export class ServiceRunning extends Error {
  override readonly name = "ServiceRunning";
}

/** Names of connections, besides leases, that processes of the service keep while they run. */
const OF_SERVICE = ["gateway presence", "event-log listener", "log watch"];

const Row = z.object({ name: z.string() });

/** @throws ServiceRunning */
export async function requireStopped(pool: Pick<Pool, "query">): Promise<void> {
  const rows = await statementsOn(pool).any(sql.type(Row)`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = any(${sql.array(OF_SERVICE, "text")})
        or application_name like 'lease %')`);
  const names = rows.map(({ name }) => name);
  if (names.length === 0) return;
  throw new ServiceRunning(
    `Stop every process of the service first; connected to the database: ${names.join(", ")}`,
  );
}
