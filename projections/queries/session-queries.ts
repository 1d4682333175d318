import { sql } from "slonik";
import { z } from "zod";
import { Role } from "#contracts/roles.ts";
import type { Lookups } from "#infra/postgres/statements.ts";

const LiveSession = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  sessionId: z.string(),
  expires: z.string(),
});

/** A session with its user's present state; `expires` is ISO 8601 UTC. */
export type LiveSession = z.infer<typeof LiveSession>;

export type SessionClaim = {
  /** UUID. */
  readonly sessionId: string;
  readonly userId: string;
  readonly now: Date;
};

/**
 * The session if it belongs to the user, has neither ended nor expired, and the user is active; else
 * null. Runs on every authenticated request: two lookups by primary key.
 */
export function readSession(
  lookups: Lookups,
  { sessionId, userId, now }: SessionClaim,
): Promise<LiveSession | null> {
  return lookups.maybeOne(sql.type(LiveSession)`
    select u.id as "userId", u.email, u.name, u.role, s.id as "sessionId",
      to_char(s.expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as expires
    from vault.sessions s join read_model.users u on u.id = s.user_id
    where s.id = ${sessionId}::uuid and s.user_id = ${userId}
      and s.revoked_at is null and s.expires_at > ${now.toISOString()}::timestamptz
      and u.is_active`);
}
