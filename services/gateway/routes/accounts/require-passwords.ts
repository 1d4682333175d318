import { Refusal } from "#contracts/errors.ts";
import type { Config } from "#infra/config/config.ts";

/** @throws Refusal FORBIDDEN where people sign in at their institute alone */
export function requirePasswords(openId: Config["openId"]): void {
  if (!openId?.only) return;
  throw new Refusal(
    "FORBIDDEN",
    "There are no passwords here: sign in with your institute's account",
  );
}
