import { Refusal } from "#contracts/errors.ts";
import { PASSWORD_MIN } from "#contracts/http/accounts.ts";

/** Bounds the work of normalising and hashing a stranger's input. */
export const PASSWORD_MAX = 1_000;

/**
 * A password that may be hashed: 8 to 1,000 Unicode code points, without lone surrogates, which
 * would all hash like the same replacement character, and without NUL, which ends strings in other
 * programs.
 * @throws Refusal VALIDATION_ERROR
 */
export function newPassword(given: string): string {
  const characters = [...given].length;
  if (characters < PASSWORD_MIN) {
    throw new Refusal(
      "VALIDATION_ERROR",
      `Password must be at least ${PASSWORD_MIN} characters long`,
    );
  }
  if (characters > PASSWORD_MAX) {
    throw new Refusal(
      "VALIDATION_ERROR",
      `Password must be at most ${PASSWORD_MAX} characters long`,
    );
  }
  if (!given.isWellFormed() || given.includes("\u0000")) {
    throw new Refusal("VALIDATION_ERROR", "Password holds characters that cannot be used");
  }
  return given;
}
