import type { ClientBase } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import { statementsOn } from "../statements.ts";

/** The oldest major version that the service's SQL supports. */
const OLDEST = 17;

/** The server's version is too old for the service's SQL; nothing was changed. */
export class PostgresTooOld extends Error {
  override readonly name = "PostgresTooOld";
}

const Version = z.object({ number: z.int(), name: z.string() });

/** @throws PostgresTooOld */
export async function requireServerVersion(client: ClientBase): Promise<void> {
  const { number, name } = await statementsOn(client).one(sql.type(Version)`
    select current_setting('server_version_num')::integer as number,
      current_setting('server_version') as name`);
  if (number >= OLDEST * 10_000) return;
  throw new PostgresTooOld(`the server is PostgreSQL ${name}, and ${OLDEST} or later is needed`);
}
