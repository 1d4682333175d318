import { existing } from "./decide.ts";
import type { AccountEvent, AccountState } from "./state.ts";

/** Records that the password was replaced; the hash itself is only in the vault. */
export function changePassword(state: AccountState, how: "changed" | "reset"): AccountEvent[] {
  const { userId } = existing(state);
  return [{ type: "PasswordChanged", data: { userId, how } }];
}

/** Only active accounts get a reset; for others nothing happens, and the caller cannot tell. */
export function requestPasswordReset(state: AccountState, resetId: string): AccountEvent[] {
  if (state.status !== "existing" || !state.isActive) return [];
  return [{ type: "PasswordResetRequested", data: { userId: state.userId, resetId } }];
}
