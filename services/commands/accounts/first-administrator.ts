import { Refusal } from "#contracts/errors.ts";
import { listActiveAdministratorIds } from "#projections/read/accounts.ts";
import { type RegistrationForm, validRegistration } from "#services/domain/accounts/fields.ts";
import { type Command, untilCurrent } from "../context.ts";
import type { AccountContext } from "./account-context.ts";
import { whileAdministratorsStay } from "./administrators.ts";
import { type CreatedAccount, createAccount } from "./register-user.ts";

/** Whether there is an administrator, as far as the read model knows. */
export async function hasAdministrator({ pool }: Pick<AccountContext, "pool">): Promise<boolean> {
  return (await listActiveAdministratorIds(pool)).length > 0;
}

/** @returns what there is to refuse once the service has an administrator */
export function alreadySetUp(): Refusal {
  return new Refusal("NOT_FOUND", "The service is set up");
}

/**
 * Creates an administrator where there is none, and returns the account once it is visible. Of two at
 * the same moment, through whatever gateways, one comes second.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR, CONFLICT
 */
export async function createFirstAdministratorCommand(
  context: AccountContext,
  command: Command,
  form: RegistrationForm,
): Promise<CreatedAccount> {
  return whileAdministratorsStay(context, "", async () => {
    // Whoever came first is visible here, too.
    await untilCurrent(context, "users", await context.log.head());
    if (await hasAdministrator(context)) throw alreadySetUp();
    const person = validRegistration(form);
    const account = await createAccount(context, { id: command.id, actor: "system" }, person, {
      role: "admin",
      unfinishedMs: 0,
      failed: context.failedRegistrations,
    });
    await context.untilVisible("users", account.position);
    return account;
  });
}
