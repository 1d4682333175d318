import type { Operations } from "#contracts/http/operations.ts";
import { clearedSessionCookie } from "#infra/security/session-cookie.ts";
import { revokeSession } from "#infra/security/vault/sessions.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";

export type LogoutDeps = {
  readonly context: Pick<CommandContext, "pool" | "now">;
  readonly publicBaseUrl: string;
};

export function logoutHandler(deps: LogoutDeps): Handler<Operations["logout"]> {
  const { pool, now } = deps.context;
  return async ({ actor }) => {
    if (actor) await revokeSession(pool, actor.sessionId, now());
    const cookie = clearedSessionCookie(deps.publicBaseUrl);
    return { body: { success: true }, headers: { "set-cookie": cookie } };
  };
}
