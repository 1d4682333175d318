import type { z } from "zod";
import type { User } from "#contracts/http/accounts.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import { registerUserCommand } from "#services/commands/accounts/register-user.ts";
import type { Call, Handler } from "../../handler.ts";
import { registrationError } from "./registration-error.ts";

type Register = Operations["register"];

export function registerHandler(context: AccountContext): Handler<Register> {
  return async (call) => {
    const user = await register(context, call).catch((error: unknown) => {
      throw registrationError(error);
    });
    return { body: { message: "User registered successfully", user } };
  };
}

async function register(
  context: AccountContext,
  call: Call<Register>,
): Promise<z.infer<typeof User>> {
  const registered = await registerUserCommand(context, call.command, call.body);
  const { userId: id, email, name, role, at } = registered;
  return {
    id,
    email,
    name,
    role,
    is_active: true,
    email_verified: false,
    created_at: at.toISOString(),
  };
}
