import type { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import type { User } from "#contracts/http/accounts/accounts.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import type { Config } from "#infra/config/config.ts";
import { LogMismatch } from "#infra/log/event-log.ts";
import { NotVisibleYet } from "#projections/engine/progress.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import {
  type CreatedAccount,
  registerUserCommand,
} from "#services/commands/accounts/register-user.ts";
import { RegistrationError } from "../../http/error-answer.ts";
import type { Call } from "../../http/handler.ts";
import type { MakeHandler } from "../make-handler.ts";

const REGISTERED = "User registered successfully";
const AWAITS_APPROVAL = "User registered; an administrator has to activate the account";

export const registerHandler: MakeHandler<"register", "context" | "registration" | "openId"> =
  ({ context, registration, openId }) =>
  async (call) => {
    if (registration === "closed" || openId?.only)
      throw new RegistrationError(403, "Registration is closed");
    const user = await register(context, call, registration).catch((error: unknown) => {
      throw registrationError(error);
    });
    return { body: { message: user.is_active ? REGISTERED : AWAITS_APPROVAL, user } };
  };

async function register(
  context: AccountContext,
  { command, body }: Call<Operations["register"]>,
  registration: Config["registration"],
): Promise<z.infer<typeof User>> {
  const awaitsApproval = registration === "approval";
  return userOf(await registerUserCommand(context, command, body, awaitsApproval));
}

/** A new account as its answer shows it. */
export function userOf(account: CreatedAccount): z.infer<typeof User> {
  const { userId: id, email, name, role, isActive, at } = account;
  return {
    id,
    email,
    name,
    role,
    is_active: isActive,
    email_verified: false,
    created_at: at.toISOString(),
  };
}

/**
 * Converts an error to a registration error with its fixed sentence; faults reveal nothing. Errors
 * that are 503 for every change are returned unchanged.
 */
function registrationError(error: unknown): Error {
  if (error instanceof NotVisibleYet || error instanceof LogMismatch) return error;
  if (error instanceof Refusal && error.code === "VALIDATION_ERROR") {
    return new RegistrationError(400, error.message);
  }
  if (error instanceof Refusal && error.code === "CONFLICT") {
    return new RegistrationError(409, error.message);
  }
  return new RegistrationError(500, "Registration failed", { cause: error });
}
