import type { Role } from "#contracts/roles.ts";
import { followGroups } from "#services/domain/account/institute.ts";
import type { Command } from "../../context.ts";
import type { AccountContext } from "../account-context.ts";
import { decideOnAccount } from "../account-decision.ts";
import { whileAdministratorsStay } from "../administrators.ts";

/**
 * Gives an account the role that its groups have, once that is visible; the last active administrator keeps his.
 * @param account as last read
 * @returns the role from now on
 */
export async function followGroupsCommand(
  context: AccountContext,
  command: Command,
  account: { readonly id: string; readonly role: Role },
  role: Role,
): Promise<Role> {
  if (account.role === role) return role;
  const bySystem = { ...command, actor: "system" };
  const decide = (otherActiveAdministrator: boolean) =>
    decideOnAccount(context, bySystem, account.id, (state) =>
      followGroups(state, role, otherActiveAdministrator),
    );
  const { state, position } =
    role === "admin"
      ? await decide(true)
      : await whileAdministratorsStay(context, account.id, decide);
  await context.untilVisible("users", position);
  const given = state.status === "existing" ? state.role : role;
  if (given !== role) {
    context.logger.warn(
      { userId: account.id },
      "the last active administrator stays one without the group",
    );
  }
  return given;
}
