/** What the log has of rules by which people are told of events: they stand in the events of an account. */

import { z } from "zod";
import { HALF_CIRCUMFERENCE_KM } from "../query/filters.ts";
import { DAY_MS } from "../units.ts";

/** What a rule tells of an event. */
export const ALERT_KINDS = ["new", "revised", "withdrawn"] as const;
export const AlertKind = z.enum(ALERT_KINDS);
export type AlertKind = z.infer<typeof AlertKind>;

const SECONDS_OF_YEAR = (366 * DAY_MS) / 1_000;

/** By how much an event has to differ from what was told of it: one member that is reached suffices. */
export const RevisedBy = z
  .object({
    magnitude: z.number().positive().max(10).optional(),
    distanceKm: z.number().positive().max(HALF_CIRCUMFERENCE_KM).optional(),
    depthKm: z.number().positive().max(1_000).optional(),
    seconds: z.number().positive().max(SECONDS_OF_YEAR).optional(),
    status: z.boolean().optional().describe("true: any change of the evaluation status"),
  })
  .refine((by) => Object.values(by).some((bound) => bound), "names nothing that could be reached");
export type RevisedBy = z.infer<typeof RevisedBy>;

/** What a rule is, but for its name, its address and its secret. */
export const AlertSettings = z.object({
  catalogues: z.array(z.uuid()),
  /** As a body has them. */
  filter: z.record(z.string(), z.union([z.string(), z.number()])),
  on: z.array(AlertKind),
  /** Null: any change of what is told. */
  revisedBy: RevisedBy.nullable(),
  maxAgeHours: z.int(),
  to: z.enum(["webhook", "mail"]),
  format: z.enum(["json", "cap"]),
  perHour: z.int(),
  active: z.boolean(),
});
export type AlertSettings = z.infer<typeof AlertSettings>;

/** All that an alert is. */
export const MadeAlert = z.object({
  settings: AlertSettings,
  /** Name, address and secret, encrypted as personal data are. */
  privateEncrypted: z.string(),
  /** Whether the link that was sent to the account's address was followed. */
  isConfirmed: z.boolean(),
  /** Why the service paused it, a sentence; null where it did not. */
  pausedBecause: z.string().nullable(),
  /** Whether that is since its receiver does not take what it is sent. */
  isFailing: z.boolean(),
});
export type MadeAlert = Readonly<z.infer<typeof MadeAlert>>;

const ofAlert = { userId: z.string(), alertId: z.uuid() };
const whole = z.object({ ...ofAlert, ...MadeAlert.shape });

/** Events of the stream `user-<id>`. */
export const alertEvents = {
  AlertMade: whole,
  AlertChanged: whole,
  /** The token is made when the mail is sent. */
  AlertConfirmationRequested: z.object(ofAlert),
  AlertDeleted: z.object(ofAlert),
} as const;
