import { randomUUID } from "node:crypto";
import { withClient } from "../database-template.ts";

/** The id of a new notification that has failed too often, about an event that is not in the log. */
export async function parkedNotification(databaseUrl: string): Promise<string> {
  const id = randomUUID();
  await withClient(databaseUrl, async (client) => {
    await client.query(
      `insert into notifications.notices (id, type, stream, revision, taken_at)
       values ($1, 'password_reset', 'user-nobody', 0, now())`,
      [id],
    );
    await client.query(
      `insert into notifications.notifications
         (id, notice_id, recipient_user_id, status, attempts, next_attempt_at, last_error,
          created_at, updated_at)
       values ($1, $1, 'user_1_nobody', 'parked', 8, now(), 'the webhook answered 500', now(), now())`,
      [id],
    );
  });
  return id;
}
