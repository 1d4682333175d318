import { z } from "zod";
import { SCOPES } from "../access-scopes.ts";
import { Role } from "../rights.ts";
import { alertEvents } from "./alerts.ts";
import type { EventOf } from "./log.ts";

const userId = z.string();

/** Roles that users may request. */
export const RequestableRole = z.enum(["editor", "admin"]);
export type RequestableRole = z.infer<typeof RequestableRole>;

/**
 * Events of the streams `user-<id>` and `email-<hmac>`, version 1 of each. The log is immutable, so
 * personal data are in it only encrypted with the user's own key (`iv.tag.ciphertext`, base64url,
 * AES-256-GCM); deleting the key makes them unreadable.
 */
export const userEvents = {
  UserRegistered: z.object({
    userId,
    emailEncrypted: z.string(),
    nameEncrypted: z.string(),
    emailHmac: z.string(),
    role: Role,
  }),
  /** The account is inactive until an administrator activates it. */
  ApprovalRequested: z.object({ userId }),
  /** An administrator made the account; the token of its first password is created when the mail is sent. */
  UserInvited: z.object({ userId, resetId: z.uuid() }),
  UserRenamed: z.object({ userId, nameEncrypted: z.string() }),
  /** `because` of the groups that the person has at the institute; absent where an administrator decided. */
  UserRoleChanged: z.object({ userId, role: Role, because: z.literal("groups").optional() }),
  /**
   * The account is tied to an institute's account, whose verified address it has: `identityHmac` is a pseudonym
   * of issuer and subject together.
   */
  IdentityTied: z.object({
    userId,
    issuer: z.string(),
    subjectEncrypted: z.string(),
    identityHmac: z.string(),
  }),
  UserDeactivated: z.object({ userId }),
  UserReactivated: z.object({ userId }),
  UserDeleted: z.object({ userId }),
  PasswordChanged: z.object({ userId, how: z.enum(["changed", "reset"]) }),
  /** The token is created when the mail is sent and is never in the log. */
  PasswordResetRequested: z.object({ userId, resetId: z.uuid() }),
  RoleRequestSubmitted: z.object({
    userId,
    roleRequestId: z.uuid(),
    currentRole: Role,
    requestedRole: RequestableRole,
    justificationEncrypted: z.string(),
  }),
  RoleRequestReviewed: z.object({
    userId,
    roleRequestId: z.uuid(),
    status: z.enum(["approved", "rejected"]),
    reviewedBy: z.string(),
    adminNotesEncrypted: z.string().nullable(),
  }),
  /**
   * A script's own credentials. The secret is nowhere: `secretHash` is its SHA-256 in hexadecimal. HA1 of
   * HTTP Digest opens the event service to whoever knows it, so it is encrypted like personal data.
   */
  AccessTokenCreated: z.object({
    userId,
    tokenId: z.uuid(),
    nameEncrypted: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    /** The only catalogues that are there for it; null for all of its owner's. */
    catalogues: z.array(z.uuid()).nullable(),
    secretHash: z.string(),
    ha1Encrypted: z.string(),
    /** ISO 8601 UTC. */
    expiresAt: z.string(),
  }),
  AccessTokenEnded: z.object({ userId, tokenId: z.uuid() }),
  ...alertEvents,
  EmailReserved: z.object({ emailHmac: z.string(), userId }),
  EmailReleased: z.object({ emailHmac: z.string(), userId }),
} as const;

export type UserEventData<T extends keyof typeof userEvents> = z.infer<(typeof userEvents)[T]>;
export type UserEvent = EventOf<typeof userEvents>;

const groupId = z.uuid();
/** User ids, each once. */
const members = z.array(z.string());

/** Events of the stream `group-<id>`, version 1 of each. A group's name tells of nobody. */
export const groupEvents = {
  GroupCreated: z.object({ groupId, name: z.string(), members }),
  GroupRenamed: z.object({ groupId, name: z.string() }),
  /** All members, in the place of those before. */
  GroupMembersChanged: z.object({ groupId, members }),
  GroupDeleted: z.object({ groupId }),
} as const;

export type GroupEvent = EventOf<typeof groupEvents>;
