import { Refusal } from "#contracts/errors.ts";
import { existing, type UpdateCircumstances } from "./decide.ts";
import { type AccountEvent, type AccountState, isActiveAdministrator } from "./state.ts";

/** Contract §3: deleting yourself is refused, and so is deleting the last active administrator. */
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
