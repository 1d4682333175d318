/** Decisions about role requests, which belong to their requester's account. */

import type { UserEventData } from "#contracts/domain-events/user-events.ts";
import { Refusal } from "#contracts/errors.ts";
import { roleAtLeast } from "#contracts/roles.ts";
import { isShownText, NOT_SHOWN } from "#contracts/shown-text.ts";
import { existing } from "./decide.ts";
import type { AccountEvent, AccountState } from "./state.ts";

export function submitRoleRequest(
  state: AccountState,
  command: Omit<UserEventData<"RoleRequestSubmitted">, "userId" | "currentRole">,
): AccountEvent[] {
  const { userId, role, pendingRequest } = existing(state);
  if (roleAtLeast(role, command.requestedRole)) {
    throw new Refusal("VALIDATION_ERROR", "requestedRole: must be above your current role");
  }
  if (pendingRequest) throw new Refusal("CONFLICT", "A role request of yours is already pending");
  return [{ type: "RoleRequestSubmitted", data: { userId, currentRole: role, ...command } }];
}

/**
 * An approval changes the role in the same append. It never lowers it: a user with the requested
 * role or a higher one by then keeps it.
 */
export function reviewRoleRequest(
  state: AccountState,
  command: Omit<UserEventData<"RoleRequestReviewed">, "userId">,
): AccountEvent[] {
  const { userId, role, pendingRequest } = existing(state);
  if (pendingRequest?.roleRequestId !== command.roleRequestId) {
    throw new Refusal("CONFLICT", "The role request has already been reviewed");
  }
  const reviewed: AccountEvent = { type: "RoleRequestReviewed", data: { userId, ...command } };
  const { requestedRole } = pendingRequest;
  if (command.status === "rejected" || roleAtLeast(role, requestedRole)) return [reviewed];
  return [reviewed, { type: "UserRoleChanged", data: { userId, role: requestedRole } }];
}

const TEXT_MAX = 1_000;
const JUSTIFICATION_MIN = 10;

/**
 * A justification in stored form: trimmed, 10 to 1,000 Unicode code points, one line or more.
 * @throws Refusal VALIDATION_ERROR
 */
export function justification(text: string): string {
  return requestText("justification", text, JUSTIFICATION_MIN);
}

/**
 * An administrator's notes in stored form; null without any.
 * @throws Refusal VALIDATION_ERROR
 */
export function adminNotes(notes: string | null | undefined): string | null {
  return requestText("adminNotes", notes ?? "", 0) || null;
}

function requestText(field: string, request: string, min: number): string {
  const text = request.trim();
  if (!isShownText(text)) throw new Refusal("VALIDATION_ERROR", `${field}: ${NOT_SHOWN}`);
  const characters = [...text].length;
  if (characters < min) {
    throw new Refusal("VALIDATION_ERROR", `${field}: must be at least ${min} characters`);
  }
  if (characters > TEXT_MAX) {
    throw new Refusal("VALIDATION_ERROR", `${field}: must be at most ${TEXT_MAX} characters`);
  }
  return text;
}
