import { Refusal } from "#contracts/errors.ts";
import { existing, type UpdateCircumstances } from "./decide.ts";
import { type AccountEvent, type AccountState, isActiveAdministrator } from "./state.ts";

/** Refuses the deletion of one's own account, and of the last active administrator's. */
export function deleteUser(
  state: AccountState,
  { actor, otherActiveAdministrator }: UpdateCircumstances,
): AccountEvent[] {
  const { userId } = existing(state);
  if (actor === userId) throw new Refusal("VALIDATION_ERROR", "You cannot delete yourself");
  if (isActiveAdministrator(state) && !otherActiveAdministrator) {
    throw new Refusal("CONFLICT", "The last active administrator cannot be deleted");
  }
  return [{ type: "UserDeleted", data: { userId } }];
}
