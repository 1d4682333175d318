import type { Operations } from "#contracts/http/operations.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { Handler } from "../../http/handler.ts";
import { readAuditPage } from "./audit-page.ts";

export function listAuditHandler({
  log,
}: Pick<CommandContext, "log">): Handler<Operations["listAudit"]> {
  return async ({ query }) => ({ body: await readAuditPage(log, query) });
}
