import { randomUUID } from "node:crypto";
import { sql } from "slonik";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { RELAYS, userStream } from "#contracts/events/log.ts";
import { NOTIFICATION_OF, type Notice, type NotifiedEvent } from "#contracts/events/notices.ts";
import type { Notification } from "#contracts/http/following.ts";
import { listNotifications, takeNotice } from "#infra/brokers/notifications.ts";
import { createWebhook } from "#infra/brokers/webhook.ts";
import { toNewEvents } from "#infra/log/domain-events.ts";
import { type Passwords, readPersonalKey } from "#infra/vault/credentials.ts";
import { encryptPersonal } from "#infra/vault/personal-data.ts";
import { type AttemptDeps, deliverDue } from "#services/notifier/delivery.ts";
import { collectingLogger } from "../../support/logger.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";
import { type Accounts, useAccounts } from "../accounts/use-accounts.ts";

export const PUBLIC_BASE_URL = "https://quakes.example.org";
export const SECRET = "what the webhook's receiver knows";
/** Beyond what a busy machine takes to answer. */
const WEBHOOK_TIMEOUT_MS = 10_000;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export type NotificationScene = {
  readonly accounts: Accounts;
  readonly webhook: WebhookReceiver;
  /** What deliveries need, with the scene's clock and webhook. */
  readonly deps: AttemptDeps;
  /** Lines that deliveries have logged. */
  readonly lines: Record<string, unknown>[];
  /** Moves the scene's clock ahead. */
  readonly advance: (ms: number) => void;
  /** Appends an event to the stream of its user, and gives the notice of it. */
  readonly append: (event: NotifiedEvent) => Promise<Notice>;
  /** Appends a password reset of the user and takes it in, as a source does. */
  readonly takeReset: (userId: string) => Promise<Notice>;
  readonly take: (notice: Notice) => Promise<void>;
  /** Delivers everything that is due; the webhook may take `timeoutMs` to answer. */
  readonly deliver: (timeoutMs?: number) => Promise<void>;
  readonly list: () => Promise<readonly Notification[]>;
  /** No notifications, no calls, no lines; relays stand at the end of the log. */
  readonly clear: () => Promise<void>;
};

/** Accounts with their projection, a real webhook and a clock that stands still; empty before each test. */
export function useNotifications(passwords?: Passwords): NotificationScene {
  const accounts = useAccounts(passwords);
  const { log: logger, lines } = collectingLogger();
  let webhook: WebhookReceiver | undefined;
  let time = Date.now();

  beforeAll(async () => {
    webhook = await startWebhookReceiver();
  });
  async function clear(): Promise<void> {
    await clearTables(accounts);
    receiver().reset();
    lines.length = 0;
  }
  beforeEach(clear);
  afterAll(() => webhook?.close());

  function receiver(): WebhookReceiver {
    if (!webhook) throw new Error("the webhook is there only while tests run");
    return webhook;
  }

  const now = (): Date => new Date(time);
  const take = (notice: Notice) => takeNotice(accounts.pool, notice, now());
  const append = (event: NotifiedEvent) => appendEvent(accounts, event);
  const deps = (timeoutMs = WEBHOOK_TIMEOUT_MS): AttemptDeps => ({
    pool: accounts.pool,
    log: accounts.log,
    publicBaseUrl: PUBLIC_BASE_URL,
    now,
    logger,
    webhook: createWebhook({
      url: receiver().url,
      secrets: [SECRET],
      timeoutMs,
    }),
  });
  return {
    accounts,
    lines,
    get webhook() {
      return receiver();
    },
    get deps() {
      return deps();
    },
    advance: (ms) => {
      time += ms;
    },
    append,
    take,
    takeReset: async (userId) => {
      const notice = await append(resetOf(userId));
      await take(notice);
      return notice;
    },
    deliver: (timeoutMs) => deliverDue(deps(timeoutMs), new AbortController().signal),
    list: () => listNotifications(accounts.pool, {}),
    clear,
  };
}

async function clearTables({ pool, log }: Accounts): Promise<void> {
  await pool.query(sql.unsafe`truncate notifications.notices, notifications.notifications`);
  await pool.query(sql.unsafe`truncate notifications.checkpoints, notifications.published`);
  const head = await log.head();
  for (const relay of Object.values(RELAYS)) {
    await pool.query(sql.unsafe`
      insert into notifications.checkpoints (relay, position) values (${relay}, ${head})`);
  }
}

export function resetOf(userId: string): NotifiedEvent {
  return { type: "PasswordResetRequested", data: { userId, resetId: randomUUID() } };
}

async function appendEvent({ log }: Accounts, event: NotifiedEvent): Promise<Notice> {
  const stream = userStream(event.data.userId);
  const revision = (await log.read(stream, 0, 10_000)).length;
  const origin = { commandId: randomUUID(), actor: "system", at: new Date() };
  const [recorded] = toNewEvents(stream, revision, [event], origin);
  if (!recorded) throw new Error("an event always has its form");
  await log.append(stream, revision - 1, [recorded]);
  return { id: recorded.id, type: NOTIFICATION_OF[event.type], stream, revision };
}

export const JUSTIFICATION = "I look after\nthe Kermadec catalogue.";
export const NOTES = "As agreed.";

type Of<T extends NotifiedEvent["type"]> = Extract<NotifiedEvent, { type: T }>;

/** A viewer's request to become editor. */
export async function submission(
  accounts: Accounts,
  userId: string,
): Promise<Of<"RoleRequestSubmitted">> {
  return {
    type: "RoleRequestSubmitted",
    data: {
      userId,
      roleRequestId: randomUUID(),
      currentRole: "viewer",
      requestedRole: "editor",
      justificationEncrypted: await encryptFor(accounts, userId, JUSTIFICATION),
    },
  };
}

export async function review(
  accounts: Accounts,
  { data: { userId, roleRequestId } }: Of<"RoleRequestSubmitted">,
  status: "approved" | "rejected",
): Promise<Of<"RoleRequestReviewed">> {
  const adminNotesEncrypted = await encryptFor(accounts, userId, NOTES);
  const data = { userId, roleRequestId, status, reviewedBy: "user_1_admin", adminNotesEncrypted };
  return { type: "RoleRequestReviewed", data };
}

async function encryptFor({ pool }: Accounts, userId: string, text: string): Promise<string> {
  const key = await readPersonalKey(pool, userId);
  if (key === null) throw new Error("the user has no key");
  return encryptPersonal(key, text);
}
