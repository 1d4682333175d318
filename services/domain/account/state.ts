import type { RequestableRole, UserEvent } from "#contracts/domain-events/user-events.ts";
import type { Role } from "#contracts/roles.ts";
import { unknownCase } from "#contracts/unknown-case.ts";

/** Events of the stream `user-<id>`. */
export type AccountEvent = Exclude<UserEvent, { type: "EmailReserved" | "EmailReleased" }>;

/** The state for decisions about an account, folded from its stream. */
export type AccountState = { readonly status: "absent" } | DeletedAccount | ExistingAccount;

export type DeletedAccount = {
  readonly status: "deleted";
  /** Pseudonym of the address to free; null if the account never existed. */
  readonly emailHmac: string | null;
};

export type ExistingAccount = {
  readonly status: "existing";
  readonly userId: string;
  readonly nameEncrypted: string;
  readonly emailHmac: string;
  readonly role: Role;
  readonly isActive: boolean;
  /** Pseudonym of the institute's account that signs in; null without one. */
  readonly identityHmac: string | null;
  /** The role request that awaits review: at most one. */
  readonly pendingRequest: PendingRequest | null;
  /** When its access tokens expire, by their ids; without those that were ended. */
  readonly tokens: ReadonlyMap<string, string>;
  /** When a password reset was last requested; ISO 8601 UTC. */
  readonly resetRequestedAt: string | null;
};

export type PendingRequest = {
  readonly roleRequestId: string;
  readonly requestedRole: RequestableRole;
};

export const ABSENT: AccountState = { status: "absent" };

/**
 * The state after one more event. Events of a stream come in order, so each finds the state that it
 * needs. A deletion may be the first: it closes the account of an unfinished registration.
 */
export function evolve(state: AccountState, event: AccountEvent): AccountState {
  if (event.type === "UserRegistered") {
    const { userId, nameEncrypted, emailHmac, role } = event.data;
    return {
      status: "existing",
      userId,
      nameEncrypted,
      emailHmac,
      role,
      isActive: true,
      identityHmac: null,
      pendingRequest: null,
      tokens: new Map(),
      resetRequestedAt: null,
    };
  }
  if (event.type === "UserDeleted") {
    return { status: "deleted", emailHmac: state.status === "existing" ? state.emailHmac : null };
  }
  if (state.status !== "existing") {
    throw new Error(`${event.type} on an account that is ${state.status}`);
  }
  switch (event.type) {
    case "UserRenamed":
      return { ...state, nameEncrypted: event.data.nameEncrypted };
    case "UserRoleChanged":
      return { ...state, role: event.data.role };
    case "IdentityTied":
      return { ...state, identityHmac: event.data.identityHmac };
    case "ApprovalRequested":
    case "UserDeactivated":
      return { ...state, isActive: false };
    case "UserReactivated":
      return { ...state, isActive: true };
    case "RoleRequestSubmitted": {
      const { roleRequestId, requestedRole } = event.data;
      return { ...state, pendingRequest: { roleRequestId, requestedRole } };
    }
    case "RoleRequestReviewed":
      return { ...state, pendingRequest: null };
    case "AccessTokenCreated": {
      const { tokenId, expiresAt } = event.data;
      return { ...state, tokens: new Map([...state.tokens, [tokenId, expiresAt]]) };
    }
    case "AccessTokenEnded": {
      const left = [...state.tokens].filter(([tokenId]) => tokenId !== event.data.tokenId);
      return { ...state, tokens: new Map(left) };
    }
    case "UserInvited":
    case "PasswordChanged":
    case "PasswordResetRequested":
      return state;
    default:
      return unknownCase(event);
  }
}

export function isActiveAdministrator(state: AccountState): boolean {
  return state.status === "existing" && state.isActive && state.role === "admin";
}

/** As `evolve`, with what only the time of an event tells. */
export function evolveAt(
  state: AccountState,
  event: AccountEvent,
  recordedAt: string | null,
): AccountState {
  const next = evolve(state, event);
  const isReset = event.type === "PasswordResetRequested" && next.status === "existing";
  return isReset ? { ...next, resetRequestedAt: recordedAt } : next;
}
