import { z } from "zod";
import { NotificationType } from "./notice.ts";

/** The webhook's body (`contracts/README.md`, Notifications). */
export const WebhookBody = z.strictObject({
  /** Email address of the recipient. */
  to: z.string(),
  subject: z.string(),
  /** Plain text. */
  message: z.string(),
  type: NotificationType,
  /** The same in every attempt, so that a receiver can drop repetitions. */
  id: z.uuid(),
  /** Time of this attempt. */
  timestamp: z.iso.datetime({ precision: 3 }),
});
export type WebhookBody = z.infer<typeof WebhookBody>;

/** `sha256=<hex HMAC-SHA256 of the body>`, with the configured secret. */
export const SIGNATURE_HEADER = "X-Webhook-Signature";
