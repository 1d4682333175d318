import { Refusal } from "#contracts/errors.ts";
import { isEmailAddress } from "./email-address.ts";
import { newPassword } from "./password.ts";
import { userName } from "./user-name.ts";

/** Fields of any type or missing, as sent by a client. */
export type RegistrationForm = {
  readonly email?: unknown;
  readonly password?: unknown;
  readonly name?: unknown;
};

export type Registration = {
  readonly email: string;
  readonly password: string;
  readonly name: string;
};

/**
 * Checks a registration; order and sentences of the checks are fixed (`contracts/README.md`,
 * Accounts).
 * @throws Refusal VALIDATION_ERROR
 */
export function validRegistration({ email, password, name }: RegistrationForm): Registration {
  if (!isFilled(email) || !isFilled(password) || !isFilled(name)) {
    throw new Refusal("VALIDATION_ERROR", "Email, password, and name are required");
  }
  if (!isEmailAddress(email)) throw new Refusal("VALIDATION_ERROR", "Invalid email format");
  return { email, password: newPassword(password), name: userName(name) };
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
