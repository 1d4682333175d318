/** Delivers what alerts tell: claimed, its right asked anew, signed and sent, tried again or parked. */

import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import type { AlertSettings } from "#contracts/events/alerts.ts";
import { ALERT_LIMITS } from "#contracts/http/alerts.ts";
import { HOUR_MS, MINUTE_MS } from "#contracts/units.ts";
import type { AddressGuard } from "#infra/agency/http/address-guard.ts";
import {
  type ClaimedAlert,
  claimAlerts,
  earlierMessages,
  type Settlement,
  settleAlert,
  sweepAlerts,
} from "#infra/brokers/notifications.ts";
import { post, type Webhook, WebhookFailure } from "#infra/brokers/webhook.ts";
import { createWakeUp, repeat, supervise, type WakeUp } from "#infra/kernel/waiting.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { readPersonalKey } from "#infra/vault/credentials.ts";
import { findUser } from "#projections/read/accounts.ts";
import { findAlert, stateOfAlert } from "#projections/read/alerts.ts";
import { catalogueFacts } from "#projections/read/rights.ts";
import { decideOnAccount } from "#services/accounts/registration.ts";
import {
  capOf,
  type DigestContent,
  type EventContent,
  type MessageHead,
  mailOf,
  messageOf,
} from "#services/alerts/messages.ts";
import { decryptAlert } from "#services/alerts/rules.ts";
import { startTeller, type TellerDeps } from "#services/alerts/teller.ts";
import { existing } from "#services/domain/accounts/account.ts";
import { pauseAlerts } from "#services/domain/accounts/alerts.ts";
import { describe } from "./delivery.ts";

const SECOND = 1_000;
/** Waits before the next try; after the last one a message is parked. */
const RETRIES_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
];
const TIMEOUT_MS = 10 * SECOND;
/** Well above all time-outs within an attempt. */
const CLAIM_MS = MINUTE_MS;
/** Messages that are sent at once; those to receivers that failed lately have places of their own. */
const PARALLEL = { good: 64, slow: 32 };
/** How often it is looked for what others have stored and for due retries. */
const POLL_MS = SECOND;
const SWEEP_MS = 10 * MINUTE_MS;

export type AlertDeliveryDeps = {
  readonly pool: DatabasePool;
  readonly log: EventLog;
  readonly publicBaseUrl: string;
  /** Of where webhooks may lead. */
  readonly guard: AddressGuard;
  /** For mails; null: they are only logged, which counts as delivered. */
  readonly webhook: Webhook | null;
  readonly logger: Logger;
  readonly now: () => Date;
};

/** Keeps delivering until `signal` aborts; started deliveries are finished. @param arrival wakes it */
export async function deliverAlerts(
  deps: AlertDeliveryDeps,
  arrival: WakeUp,
  signal: AbortSignal,
): Promise<void> {
  const { pool, logger, now } = deps;
  const sweeping = repeat(
    SWEEP_MS,
    () => sweepAlerts(pool, ALERT_LIMITS.keptDays, now()),
    (err) => logger.warn({ err }, "what is over of alerts cannot be removed"),
  );
  const lanes = [false, true].map((isSlow) =>
    supervise((progressed) => keepLane(deps, isSlow, { arrival, progressed, signal }), {
      signal,
      logger,
      name: "deliveries of alerts",
    }),
  );
  await Promise.all(lanes);
  await sweeping.close();
}

type Lane = {
  readonly arrival: WakeUp;
  readonly progressed: () => void;
  readonly signal: AbortSignal;
};

async function keepLane(
  deps: AlertDeliveryDeps,
  isSlow: boolean,
  { arrival, progressed, signal }: Lane,
): Promise<void> {
  const { pool, now, logger } = deps;
  const running = new Map<string, { readonly alertId: string; readonly done: Promise<void> }>();
  const limit = isSlow ? PARALLEL.slow : PARALLEL.good;
  try {
    while (!signal.aborted) {
      const version = arrival.version();
      const free = limit - running.size;
      const busy = [...new Set([...running.values()].map(({ alertId }) => alertId))];
      const claim = { isSlow, limit: free, busy };
      const claimed = free === 0 ? [] : await claimAlerts(pool, now(), CLAIM_MS, claim);
      for (const one of claimed) {
        const done = deliverOne(deps, one)
          .catch((err) => logger.warn({ err, message: one.id }, "a delivery is not recorded"))
          .finally(() => {
            running.delete(one.id);
            arrival.wake();
          });
        running.set(one.id, { alertId: one.alertId, done });
      }
      progressed();
      if (claimed.length === 0) await arrival.wait(version, POLL_MS, signal);
    }
  } finally {
    await Promise.all([...running.values()].map(({ done }) => done));
  }
}

type Outcome = {
  readonly settlement: Settlement;
  readonly response: string | null;
  /** Whether the alert's receiver wants no more. */
  readonly isGone?: boolean;
};

/** Delivers a claimed message and records how that went. @throws errors of the database; the claim then expires */
export async function deliverOne(deps: AlertDeliveryDeps, claimed: ClaimedAlert): Promise<void> {
  const { pool, now } = deps;
  const { userId, isGone, ...outcome } = await attempt(deps, claimed);
  const isFailing = await settleAlert(pool, claimed, outcome, now(), ALERT_LIMITS.parked);
  if (userId === null || !(isGone || isFailing)) return;
  const because = isGone
    ? "Its receiver answered 410"
    : `${ALERT_LIMITS.parked} messages in a row could not be delivered`;
  const command = { id: randomUUID(), actor: "system" };
  await decideOnAccount(deps, command, userId, (state) =>
    pauseAlerts(existing(state), because, { only: claimed.alertId, isFailing: !isGone }),
  );
}

const dropped = (reason: string): Outcome => ({
  settlement: { status: "dropped", reason },
  response: reason,
});

/** What becomes of a message; `userId` of an alert that is there still. */
async function attempt(
  deps: AlertDeliveryDeps,
  claimed: ClaimedAlert,
): Promise<Outcome & { readonly userId: string | null }> {
  const { pool } = deps;
  const stored = await findAlert(pool, claimed.alertId);
  if (stored === null) return { ...dropped("the alert was deleted"), userId: null };
  const { userId, alert } = stored;
  const { settings } = alert;
  const { state } = stateOfAlert(stored);
  if (state !== "active" && claimed.kind !== "test") {
    const reason = "the alert is paused";
    const parked = { settlement: { status: "parked", error: reason }, response: reason } as const;
    return { ...(state === "failing" ? parked : dropped(reason)), userId: null };
  }
  const [key, user] = [await readPersonalKey(pool, userId), await findUser(pool, userId)];
  if (key === null || user === null || !user.is_active) {
    return { ...dropped("the account is not there, or not active"), userId };
  }
  const reader = { kind: "user", userId, role: user.role, catalogues: null } as const;
  const facts = await catalogueFacts(pool, claimed.catalogueId, reader);
  if (facts === null) return { ...dropped("the catalogue is not there for the account"), userId };
  try {
    const { name, url = "", secret = "" } = decryptAlert(key, alert.privateEncrypted);
    const head = {
      ...{ id: claimed.id, type: claimed.kind, timestamp: claimed.createdAt },
      alert: { id: stored.id, name },
      catalogue: { id: facts.id, name: facts.name, version: claimed.version },
    };
    const recipient = { settings, head, url, secret, email: user.email };
    const status = await send(deps, claimed, recipient);
    return { settlement: { status: "delivered" }, response: status, userId };
  } catch (error) {
    // Without the database nothing can be recorded; the claim expires by itself.
    if (!(error instanceof WebhookFailure) && isTransient(error)) throw error;
    return { ...failed(deps, claimed, error, settings.to), userId };
  }
}

type Recipient = {
  readonly settings: AlertSettings;
  readonly head: MessageHead;
  /** Of a webhook; empty of a mail. */
  readonly url: string;
  readonly secret: string;
  /** The account's address. */
  readonly email: string;
};

/** Sends a message. @returns the answer's status; null of a mail @throws WebhookFailure */
async function send(
  deps: AlertDeliveryDeps,
  claimed: ClaimedAlert,
  { settings, head, url, secret, email }: Recipient,
): Promise<string | null> {
  const { pool, publicBaseUrl, guard, webhook, logger, now } = deps;
  const { id } = claimed;
  const content = claimed.content as EventContent | DigestContent;
  if (settings.to === "mail") {
    const mail = mailOf(head, content, publicBaseUrl);
    const timestamp = now().toISOString();
    if (webhook !== null) await webhook.send({ to: email, ...mail, type: "alert", id, timestamp });
    else logger.info({ message: id }, "mail of an alert logged: no webhook is configured");
    return null;
  }
  const isCap = settings.format === "cap" && "event" in content;
  const body = isCap
    ? capOf(head, content, await earlierMessages(pool, claimed), publicBaseUrl)
    : JSON.stringify(messageOf(head, content, publicBaseUrl));
  const contentType = isCap ? "application/cap+xml" : "application/json";
  const ours = { id, body, contentType, secrets: [secret], timeoutMs: TIMEOUT_MS, guard };
  return String(await post({ ...ours, url }));
}

function failed(
  { now, logger }: AlertDeliveryDeps,
  { id, attempts }: ClaimedAlert,
  cause: unknown,
  to: AlertSettings["to"],
): Outcome {
  const error = describe(cause);
  const { status = null, retryAfterMs = null } = cause instanceof WebhookFailure ? cause : {};
  logger.info({ err: cause, message: id, attempts }, "a message of an alert was not delivered");
  const response = status === null ? error : String(status);
  // A mail's receiver is everybody's.
  const isGone = status === 410 && to === "webhook";
  const ownMs = isGone ? undefined : RETRIES_MS[attempts - 1];
  if (ownMs === undefined) return { settlement: { status: "parked", error }, response, isGone };
  const nextAttemptAt = new Date(now().getTime() + Math.max(ownMs, retryAfterMs ?? 0));
  return { settlement: { status: "pending", error, nextAttemptAt }, response };
}

/**
 * Tells and delivers what alerts tell: one of all processes tells, and all of them deliver.
 * @returns what ends it, once running deliveries are finished
 */
export function startAlerts(deps: AlertDeliveryDeps & Omit<TellerDeps, "onTold">) {
  const stopping = new AbortController();
  const arrival = createWakeUp();
  const teller = startTeller({ ...deps, onTold: arrival.wake });
  const delivering = deliverAlerts(deps, arrival, stopping.signal).catch(deps.onFatal);
  return {
    close: async (): Promise<void> => {
      stopping.abort();
      await Promise.all([teller.close(), delivering]);
    },
  };
}
