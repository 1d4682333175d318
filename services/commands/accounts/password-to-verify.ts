import { PASSWORD_MAX } from "#services/domain/account/password.ts";

/** A UTF-16 code unit is at most half a character: no longer password was ever taken. */
const PASSWORD_MAX_UNITS = 2 * PASSWORD_MAX;

/** A given password, bounded: one too long to be anybody's is compared as an empty one. */
export function passwordToVerify(given: string): string {
  return given.length <= PASSWORD_MAX_UNITS ? given : "";
}
