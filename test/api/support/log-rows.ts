import { userStream } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import { createPostgresEventLog } from "#infra/event-log/postgres/postgres-event-log.ts";
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

export type LoggedEvent = { readonly type: string; readonly data: unknown };

/** The events of one account, oldest first. */
export async function eventsOfUser(databaseUrl: string, userId: string): Promise<LoggedEvent[]> {
  const log = await createPostgresEventLog(databaseUrl);
  try {
    return (await log.read(userStream(userId), 0, 1_000)).map(fromRecorded);
  } finally {
    await log.close();
  }
}
