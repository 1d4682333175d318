/** Decisions about an account: pure functions from state and command to events or a refusal. */

import { ROLE_OF_SCOPE } from "#contracts/access-scopes.ts";
import { unknownCase } from "#contracts/cases.ts";
import { Refusal } from "#contracts/errors.ts";
import type { RequestableRole, UserEvent, UserEventData } from "#contracts/events/accounts.ts";
import { ALERT_LIMITS } from "#contracts/http/alerts.ts";
import { type Role, roleAtLeast } from "#contracts/rights.ts";
import { isShownText, NOT_SHOWN } from "#contracts/text.ts";
import { type AlertOwner, evolveAlerts, pauseAlerts } from "./alerts.ts";

/** Events of the stream `user-<id>`. */
export type AccountEvent = Exclude<UserEvent, { type: "EmailReserved" | "EmailReleased" }>;

/** The state for decisions about an account, folded from its stream. */
export type AccountState = { readonly status: "absent" } | DeletedAccount | ExistingAccount;

export type DeletedAccount = {
  readonly status: "deleted";
  /** Pseudonym of the address to free; null if the account never existed. */
  readonly emailHmac: string | null;
};

type ExistingAccount = AlertOwner & {
  readonly status: "existing";
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
      alerts: new Map(),
      confirmationsAt: [],
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
      return { ...state, alerts: evolveAlerts(state.alerts, event) };
  }
}

/** Times of links of confirmation: as many as decide. */
const MOST_KEPT = ALERT_LIMITS.confirmationsADay;

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
  if (next.status !== "existing" || recordedAt === null) return next;
  if (event.type === "PasswordResetRequested") return { ...next, resetRequestedAt: recordedAt };
  if (event.type !== "AlertConfirmationRequested") return next;
  return { ...next, confirmationsAt: [...next.confirmationsAt.slice(1 - MOST_KEPT), recordedAt] };
}

const EMAIL_IN_USE = "User with this email already exists";

/**
 * Refused when the address went to another registration meanwhile (see closeUnfinished).
 * @param further what else an account begins with
 */
export function registerUser(
  state: AccountState,
  command: UserEventData<"UserRegistered">,
  further: readonly AccountEvent[] = [],
): AccountEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return [{ type: "UserRegistered", data: command }, ...further];
}

/**
 * Closes an account of an unfinished registration for good: if that registration still runs, it
 * finds the stream taken. Only then can another account safely get the address.
 */
export function closeUnfinished(state: AccountState, userId: string): AccountEvent[] {
  if (state.status === "existing") throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return closeForgotten(state, userId);
}

/**
 * Closes an account whose personal key was lost with its database, when its address is wanted:
 * nobody can sign in to the account or name its owner.
 */
export function closeForgotten(state: AccountState, userId: string): AccountEvent[] {
  return state.status === "deleted" ? [] : [{ type: "UserDeleted", data: { userId } }];
}

export type UpdateUser = {
  readonly role?: Role;
  readonly isActive?: boolean;
  /** Present only if the name changes, since encrypted texts cannot be compared here. */
  readonly nameEncrypted?: string;
};

/** The caller, and facts from outside the account's own stream. */
export type UpdateCircumstances = {
  readonly actor: string;
  readonly otherActiveAdministrator: boolean;
};

/** Unchanged members make no events. */
export function updateUser(
  state: AccountState,
  command: UpdateUser,
  circumstances: UpdateCircumstances,
): AccountEvent[] {
  const account = existing(state);
  requireAdministratorLeft(account, command, circumstances);
  const { userId } = account;
  const { role, isActive, nameEncrypted } = command;
  const events: AccountEvent[] = [];
  if (nameEncrypted !== undefined) {
    events.push({ type: "UserRenamed", data: { userId, nameEncrypted } });
  }
  if (role !== undefined && role !== account.role) {
    events.push({ type: "UserRoleChanged", data: { userId, role } });
  }
  if (isActive !== undefined && isActive !== account.isActive) {
    events.push({ type: isActive ? "UserReactivated" : "UserDeactivated", data: { userId } });
  }
  return events;
}

export function existing(state: AccountState): ExistingAccount {
  if (state.status !== "existing") throw new Refusal("NOT_FOUND", "User not found");
  return state;
}

/** Refuses changes of one's own account, and the removal of the last active administrator. */
function requireAdministratorLeft(
  account: ExistingAccount,
  { role = account.role, isActive = account.isActive }: UpdateUser,
  { actor, otherActiveAdministrator }: UpdateCircumstances,
): void {
  const stays = isActiveAdministrator({ ...account, role, isActive });
  if (stays || !isActiveAdministrator(account)) return;
  if (actor === account.userId) {
    throw new Refusal("VALIDATION_ERROR", "You cannot demote or deactivate yourself");
  }
  if (!otherActiveAdministrator) {
    throw new Refusal("CONFLICT", "The last active administrator cannot be demoted or deactivated");
  }
}

/** Records that the password was replaced; the hash itself is only in the vault. */
export function changePassword(state: AccountState, how: "changed" | "reset"): AccountEvent[] {
  const { userId } = existing(state);
  return [{ type: "PasswordChanged", data: { userId, how } }];
}

/** So that nobody can have somebody else's address flooded with mails. */
const RESET_EVERY_MS = 15 * 60 * 1000;

/** Only active accounts get a reset; for others nothing happens, and the caller cannot tell. */
export function requestPasswordReset(
  state: AccountState,
  { resetId, now }: { readonly resetId: string; readonly now: Date },
): AccountEvent[] {
  if (state.status !== "existing" || !state.isActive) return [];
  const { resetRequestedAt: last } = state;
  if (last !== null && now.getTime() - Date.parse(last) < RESET_EVERY_MS) return [];
  return [{ type: "PasswordResetRequested", data: { userId: state.userId, resetId } }];
}

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

/** Decisions about role requests, which belong to their requester's account. */

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

/** Decisions about access tokens: credentials by which scripts speak for an account. */

/** Tokens of one account that have neither been ended nor expired. */
const MAX_TOKENS = 100;

export type CreateAccessToken = Omit<UserEventData<"AccessTokenCreated">, "userId"> & {
  /** ISO 8601 UTC. */
  readonly now: string;
  /**
   * The token that an earlier run of the same command may have made. Its secret is lost, so it is ended.
   */
  readonly insteadOf: string | null;
};

/** @throws Refusal NOT_FOUND, FORBIDDEN for a scope above the role, CONFLICT for too many tokens */
export function createAccessToken(
  state: AccountState,
  { now, insteadOf, ...token }: CreateAccessToken,
): AccountEvent[] {
  const { userId, role, tokens } = existing(state);
  const above = token.scopes.find((scope) => !roleAtLeast(role, ROLE_OF_SCOPE[scope]));
  if (above !== undefined) {
    const message = `An access token with the scope ${above} is beyond your role: ${role}`;
    throw new Refusal("FORBIDDEN", message);
  }
  const isReplaced = insteadOf !== null && tokens.has(insteadOf);
  const good = [...tokens.values()].filter((expiresAt) => expiresAt > now);
  if (!isReplaced && good.length >= MAX_TOKENS) {
    throw new Refusal("CONFLICT", `You have ${MAX_TOKENS} access tokens already`);
  }
  const created: AccountEvent = { type: "AccessTokenCreated", data: { userId, ...token } };
  return [...(isReplaced ? endAccessToken(state, insteadOf) : []), created];
}

/**
 * Ends all tokens that are good still: whoever made them may be somebody else than who holds the account now.
 * @param now ISO 8601 UTC
 */
export function endAccessTokens(state: AccountState, now: string): AccountEvent[] {
  const { userId, tokens } = existing(state);
  const good = [...tokens].filter(([, expiresAt]) => expiresAt > now);
  return good.map(([tokenId]) => ({ type: "AccessTokenEnded", data: { userId, tokenId } }));
}

/** The same, and pauses all alerts. @param because a sentence */
export function withdrawGiven(state: AccountState, now: string, because: string): AccountEvent[] {
  return [...endAccessTokens(state, now), ...pauseAlerts(existing(state), because)];
}

/** @throws Refusal NOT_FOUND for one that was never there or has been ended */
export function endAccessToken(state: AccountState, tokenId: string): AccountEvent[] {
  const { userId, tokens } = existing(state);
  if (!tokens.has(tokenId)) throw new Refusal("NOT_FOUND", "Access token not found");
  return [{ type: "AccessTokenEnded", data: { userId, tokenId } }];
}

/** Decisions about accounts that sign in at their institute. */

/**
 * Ties an account to an institute's account, in place of an earlier one: its access tokens end, its alerts pause.
 * @param now ISO 8601 UTC
 */
export function tieIdentity(
  state: AccountState,
  identity: Omit<UserEventData<"IdentityTied">, "userId">,
  now: string,
): AccountEvent[] {
  const { userId, identityHmac } = existing(state);
  if (identityHmac === identity.identityHmac) return [];
  const tied: AccountEvent = { type: "IdentityTied", data: { userId, ...identity } };
  return [tied, ...withdrawGiven(state, now, "The account was joined with one of an institute")];
}

/** The groups at the institute whose members have a role here. */
export type GroupsOfRoles = Readonly<Record<"admin" | "editor", readonly string[]>>;

/** The highest role that one of the groups has. */
export function roleOfGroups(groups: readonly string[], { admin, editor }: GroupsOfRoles): Role {
  const isIn = (named: readonly string[]): boolean => named.some((name) => groups.includes(name));
  if (isIn(admin)) return "admin";
  return isIn(editor) ? "editor" : "viewer";
}

/** Gives an account the role of its groups. The last active administrator stays one, whatever they say. */
export function followGroups(
  state: AccountState,
  role: Role,
  otherActiveAdministrator: boolean,
): AccountEvent[] {
  const account = existing(state);
  if (role === account.role) return [];
  if (isActiveAdministrator(account) && !otherActiveAdministrator) return [];
  return [{ type: "UserRoleChanged", data: { userId: account.userId, role, because: "groups" } }];
}

/** The owner of an email address: the stream `email-<hmac>` makes addresses unique. */

export type ReservationEvent = Extract<UserEvent, { type: "EmailReserved" | "EmailReleased" }>;

/** `holder` is a user id; null for a free address. */
export type ReservationState = { readonly holder: string | null };

export const FREE: ReservationState = { holder: null };

export function evolveReservation(
  _state: ReservationState,
  event: ReservationEvent,
): ReservationState {
  switch (event.type) {
    case "EmailReserved":
      return { holder: event.data.userId };
    case "EmailReleased":
      return FREE;
    default:
      return unknownCase(event);
  }
}

export type ReserveEmail = {
  readonly emailHmac: string;
  readonly userId: string;
  /** A holder whose account is known to be closed and loses the address. */
  readonly closedHolder: string | null;
};

export function reserveEmail(
  { holder }: ReservationState,
  { emailHmac, userId, closedHolder }: ReserveEmail,
): ReservationEvent[] {
  const reserved: ReservationEvent = { type: "EmailReserved", data: { emailHmac, userId } };
  if (holder === null) return [reserved];
  if (holder !== closedHolder) throw new Refusal("CONFLICT", EMAIL_IN_USE);
  return [{ type: "EmailReleased", data: { emailHmac, userId: holder } }, reserved];
}

/** Frees an address if it belongs to the user. */
export function releaseEmail(
  { holder }: ReservationState,
  { emailHmac, userId }: { readonly emailHmac: string; readonly userId: string },
): ReservationEvent[] {
  return holder === userId ? [{ type: "EmailReleased", data: { emailHmac, userId } }] : [];
}
