import { Refusal } from "#contracts/errors.ts";
import { PASSWORD_MIN } from "#contracts/http/accounts.ts";

/** Bounds the work of normalising and hashing what a stranger sends. */
export const PASSWORD_MAX = 1_000;

/**
 * A password fit to be hashed: 8 to 1,000 Unicode code points. Lone surrogates would all be hashed
 * as the same replacement character, and NUL ends a text in other programs.
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
