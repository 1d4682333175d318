import { z } from "zod";
import { Role } from "../roles.ts";

const userId = z.string();

/**
 * Events of the streams `user-<id>` and `email-<hmac>`, version 1 of each.
 * The log is immutable, so personal data is in it only encrypted with the user's own key
 * (`iv.tag.ciphertext`, base64url, AES-256-GCM); deleting the key forgets the person.
 */
export const userEvents = {
  UserRegistered: z.object({
    userId,
    emailEncrypted: z.string(),
    nameEncrypted: z.string(),
    emailHmac: z.string(),
    role: Role,
  }),
  UserRenamed: z.object({ userId, nameEncrypted: z.string() }),
  UserRoleChanged: z.object({ userId, role: Role }),
  UserDeactivated: z.object({ userId }),
  UserReactivated: z.object({ userId }),
  UserDeleted: z.object({ userId }),
  EmailReserved: z.object({ emailHmac: z.string(), userId }),
  EmailReleased: z.object({ emailHmac: z.string(), userId }),
} as const;

export type UserEvent = {
  [T in keyof typeof userEvents]: { type: T; data: z.infer<(typeof userEvents)[T]> };
}[keyof typeof userEvents];
