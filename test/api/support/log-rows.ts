import { withClient } from "../../support/database-template.ts";

/** How many events the log holds: what is refused writes none. */
export function countLogRows(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from event_log.events",
    );
    return rows[0]?.count ?? 0;
  });
}
