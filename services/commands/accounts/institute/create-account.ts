import { randomInt } from "node:crypto";
import { Refusal } from "#contracts/errors.ts";
import type { Role } from "#contracts/roles.ts";
import { encryptPersonal, identityHmac } from "#infra/security/personal-data.ts";
import { userName } from "#services/domain/account/account-fields.ts";
import type { AccountEvent } from "#services/domain/account/state.ts";
import type { Command } from "../../context.ts";
import type { AccountContext } from "../account-context.ts";
import type { LoggedIn } from "../login.ts";
import { createVisibleAccount, type NewAccount } from "../register-user.ts";
import type { InstituteAccount } from "./identities.ts";

type Person = InstituteAccount & { readonly email: string; readonly name: string | null };

/**
 * Makes the account of a person whom an institute has confirmed; it is visible then. It has no password.
 * @throws Refusal CONFLICT when somebody registers the address at the same moment
 */
export async function createInstituteAccount(
  context: AccountContext,
  command: Command,
  { issuer, subject, email, name }: Person,
  { role, awaitsApproval }: { readonly role: Role; readonly awaitsApproval: boolean },
): Promise<LoggedIn["user"] & { readonly is_active: boolean }> {
  const further = ({ userId, personalKey }: NewAccount): AccountEvent[] => [
    {
      type: "IdentityTied",
      data: {
        userId,
        issuer,
        subjectEncrypted: encryptPersonal(personalKey, subject),
        identityHmac: identityHmac(context.emailKey, { issuer, subject }),
      },
    },
    ...(awaitsApproval ? [{ type: "ApprovalRequested" as const, data: { userId } }] : []),
  ];
  const person = { email, name: shownName(name) ?? namelessUser() };
  const account = await createVisibleAccount(context, command, person, { role, further });
  return { id: account.userId, email, name: account.name, role, is_active: account.isActive };
}

/** Others see names, so an address is none. */
function namelessUser(): string {
  return `user${String(randomInt(10_000)).padStart(4, "0")}`;
}

/** Null for a name that no account may have. */
function shownName(name: string | null): string | null {
  try {
    return userName(name ?? "");
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
