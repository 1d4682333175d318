/** Decisions about the alerts of an account. */

import { Refusal } from "#contracts/errors.ts";
import type { UserEvent } from "#contracts/events/accounts.ts";
import type { MadeAlert } from "#contracts/events/alerts.ts";
import { ALERT_LIMITS } from "#contracts/http/alerts.ts";
import { DAY_MS } from "#contracts/units.ts";

export type AlertEvent = Extract<UserEvent, { type: `Alert${string}` }>;

/** An account with its alerts by their ids, and when links of confirmation were asked for; ISO 8601 UTC. */
export type AlertOwner = {
  readonly userId: string;
  readonly alerts: ReadonlyMap<string, MadeAlert>;
  readonly confirmationsAt: readonly string[];
};

export function evolveAlerts(alerts: AlertOwner["alerts"], { type, data }: AlertEvent) {
  const all = new Map(alerts);
  if (type === "AlertDeleted") all.delete(data.alertId);
  if (type === "AlertMade" || type === "AlertChanged") all.set(data.alertId, data);
  return all;
}

/** @throws Refusal CONFLICT for too many, and for too many links of confirmation */
export function makeAlert(
  owner: AlertOwner,
  alertId: string,
  alert: MadeAlert,
  now: Date,
): AlertEvent[] {
  const { userId, alerts } = owner;
  if (alerts.size >= ALERT_LIMITS.ofUser) {
    throw new Refusal("CONFLICT", `You have ${ALERT_LIMITS.ofUser} alerts already`);
  }
  const made: AlertEvent = { type: "AlertMade", data: { userId, alertId, ...alert } };
  return [made, ...confirmation(owner, alertId, alert, now)];
}

/** @throws Refusal NOT_FOUND, CONFLICT for too many links of confirmation */
export function changeAlert(
  owner: AlertOwner,
  alertId: string,
  change: (alert: MadeAlert) => MadeAlert,
  now: Date,
): AlertEvent[] {
  const before = owner.alerts.get(alertId);
  if (before === undefined) throw new Refusal("NOT_FOUND", "Alert not found");
  const alert = change(before);
  const data = { userId: owner.userId, alertId, ...alert };
  const isBecomingMail = before.settings.to !== "mail";
  return [
    { type: "AlertChanged", data },
    ...(isBecomingMail ? confirmation(owner, alertId, alert, now) : []),
  ];
}

function confirmation(
  { userId, confirmationsAt }: AlertOwner,
  alertId: string,
  { settings, isConfirmed }: MadeAlert,
  now: Date,
): AlertEvent[] {
  if (settings.to !== "mail" || isConfirmed) return [];
  const lately = confirmationsAt.filter((at) => now.getTime() - Date.parse(at) < DAY_MS);
  if (lately.length >= ALERT_LIMITS.confirmationsADay) {
    throw new Refusal("CONFLICT", "Too many links were sent to your address today");
  }
  return [{ type: "AlertConfirmationRequested", data: { userId, alertId } }];
}

/**
 * Pauses one, or all: whoever made them may be somebody else than who holds the account now. Nothing where that is
 * paused, or not there any more.
 * @param pausedBecause a sentence
 */
export function pauseAlerts(
  { userId, alerts }: AlertOwner,
  pausedBecause: string,
  { only = null, isFailing = false }: { only?: string | null; isFailing?: boolean } = {},
): AlertEvent[] {
  const active = [...alerts].filter(
    ([id, { settings }]) => settings.active && (only === null || only === id),
  );
  return active.map(([alertId, { settings, ...alert }]) => {
    const paused = { ...alert, settings: { ...settings, active: false }, pausedBecause, isFailing };
    return { type: "AlertChanged", data: { userId, alertId, ...paused } };
  });
}

/** @throws Refusal NOT_FOUND */
export function deleteAlert({ userId, alerts }: AlertOwner, alertId: string): AlertEvent[] {
  if (!alerts.has(alertId)) throw new Refusal("NOT_FOUND", "Alert not found");
  return [{ type: "AlertDeleted", data: { userId, alertId } }];
}
