import { createDatabase } from "#infra/postgres/pool.ts";
import { issueResetToken, RESET_MS } from "#infra/vault/credentials.ts";
import type { TestService } from "../service.ts";

/** A password reset token of a user, as whoever sends the mail makes it, issued at `at`. */
export async function resetTokenOf(
  service: TestService,
  userId: string,
  at = new Date(),
): Promise<string> {
  const pool = await createDatabase(service.databaseUrl, { applicationName: "reset-token" });
  try {
    const token = await issueResetToken(pool, userId, at, RESET_MS);
    if (token === null) throw new Error(`${userId} has no credentials`);
    return token;
  } finally {
    await pool.end();
  }
}
