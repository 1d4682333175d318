/** What makes, changes, confirms and deletes alerts, and has them send a test. */

import { randomBytes } from "node:crypto";
import { sql } from "slonik";
import { invalid, Refusal } from "#contracts/errors.ts";
import { AlertSettings, type MadeAlert } from "#contracts/events/alerts.ts";
import { ALERT_LIMITS, type AlertBody, type AlertChange } from "#contracts/http/alerts.ts";
import { FILTER_NAMES } from "#contracts/query/filters.ts";
import { type AddressGuard, requireOutward } from "#infra/agency/http/address-guard.ts";
import { listDeliveries, storeAlertMessages } from "#infra/brokers/notifications.ts";
import { derivedUuid, equalTexts } from "#infra/kernel/texts.ts";
import { readPersonalKey } from "#infra/vault/credentials.ts";
import {
  countAlerts,
  findAlert,
  type StoredAlert,
  stateOfAlert,
} from "#projections/read/alerts.ts";
import { catalogueFacts, type Reader, thereAmong } from "#projections/read/rights.ts";
import { existing } from "#services/domain/accounts/account.ts";
import { changeAlert, makeAlert } from "#services/domain/accounts/alerts.ts";
import { shortName } from "#services/domain/texts.ts";
import { changeAccount } from "../accounts/registration.ts";
import type { Command, CommandContext } from "../context.ts";
import { testContent } from "./messages.ts";
import { confirmationToken, decryptAlert, encryptAlert } from "./rules.ts";

type AlertDeps = { readonly context: CommandContext; readonly guard: AddressGuard };

/** Makes an alert of a user. @returns its id @throws Refusal MISSING_NAME, VALIDATION_ERROR, CONFLICT for too many */
export async function createAlertCommand(
  deps: AlertDeps,
  command: Command,
  userId: string,
  body: AlertBody,
): Promise<string> {
  const { context } = deps;
  if (!command.retried && (await countAlerts(context.pool)) >= ALERT_LIMITS.ofAll) {
    throw new Refusal("CONFLICT", `There are ${ALERT_LIMITS.ofAll} alerts already`);
  }
  const alert = await alertOf(deps, userId, body, null);
  await changeAccount(context, command, userId, (state) =>
    makeAlert(existing(state), command.id, alert, context.now()),
  );
  return command.id;
}

/** Also lets an alert go on that was paused. @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR, CONFLICT */
export async function updateAlertCommand(
  deps: AlertDeps,
  command: Command,
  { id, userId, alert: before }: StoredAlert,
  change: AlertChange,
): Promise<void> {
  const { context } = deps;
  const { settings, privateEncrypted } = await alertOf(deps, userId, change, before);
  await changeAccount(context, command, userId, (state) =>
    changeAlert(
      existing(state),
      id,
      ({ isConfirmed, ...present }) => {
        const reason = settings.active ? { pausedBecause: null, isFailing: false } : {};
        return { isConfirmed, ...present, ...reason, settings, privateEncrypted };
      },
      context.now(),
    ),
  );
}

/** An alert as a body says, and else as it was. @throws Refusal MISSING_NAME, VALIDATION_ERROR */
async function alertOf(
  { context, guard }: AlertDeps,
  userId: string,
  body: AlertBody | AlertChange,
  before: MadeAlert | null,
): Promise<MadeAlert> {
  const key = await readPersonalKey(context.pool, userId);
  if (key === null) throw new Refusal("NOT_FOUND", "User not found");
  const known = before && decryptAlert(key, before.privateEncrypted);
  const { name, to, filter, ...others } = body;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const settings = AlertSettings.parse({
    ...before?.settings,
    ...Object.fromEntries(given),
    ...(filter && { filter: storedFilter(filter) }),
    ...(to && { to: to.kind }),
  });
  if (settings.to === "mail" && settings.format === "cap") {
    throw invalid("format", "cap goes by webhook alone");
  }
  if (to?.kind === "webhook") await requireOutward(guard, "to.url", to.url);
  const webhook = to?.kind === "webhook" ? to : known;
  const secret = webhook?.secret ?? known?.secret ?? newSecret();
  const parts = {
    name: name === undefined ? (known?.name ?? "") : shortName(name, ALERT_LIMITS.name),
    ...(settings.to === "webhook" && { url: webhook?.url, secret }),
  };
  const standing = { isConfirmed: false, pausedBecause: null, isFailing: false, ...before };
  return { ...standing, settings, privateEncrypted: encryptAlert(key, parts) };
}

/** As a body has them. */
function storedFilter(filter: AlertBody["filter"]): AlertSettings["filter"] {
  const named = FILTER_NAMES.flatMap((name) => {
    const value = filter[name];
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? value.join(",") : value] as const];
  });
  return Object.fromEntries(named);
}

const SECRET_BYTES = 24;

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Confirms the address of an alert's account by the token of a link. @throws Refusal NOT_FOUND for any other token */
export async function confirmAlertCommand(
  context: CommandContext,
  command: Command,
  token: string,
): Promise<void> {
  const [alertId = ""] = token.split(".");
  const alert = await findAlert(context.pool, alertId);
  const key = alert && (await readPersonalKey(context.pool, alert.userId));
  if (!alert || !key || !equalTexts(token, confirmationToken(key, alert.id))) {
    throw new Refusal("NOT_FOUND", "The link is not valid, or its alert was deleted");
  }
  if (alert.alert.isConfirmed) return;
  const own = { ...command, actor: alert.userId };
  const confirmed = (present: MadeAlert) => ({ ...present, isConfirmed: true });
  await changeAccount(context, own, alert.userId, (state) =>
    changeAlert(existing(state), alert.id, confirmed, context.now()),
  );
}

/** Has an alert send a test. @returns the delivery's id @throws Refusal CONFLICT */
export async function testAlertCommand(
  { pool, now }: CommandContext,
  command: Command,
  stored: StoredAlert,
  reader: Reader,
): Promise<string> {
  const { id: alertId, alert } = stored;
  if (stateOfAlert(stored).state === "unconfirmed") {
    throw new Refusal("CONFLICT", "The address of the account is not confirmed");
  }
  const id = derivedUuid(`${command.id}\ntest`);
  const isWaiting = sql.fragment`n.kind = 'test' and n.status = 'pending' and n.id <> ${id}::uuid`;
  if ((await listDeliveries(pool, alertId, isWaiting, 1)).length > 0) {
    throw new Refusal("CONFLICT", "A test is on its way already");
  }
  const [catalogueId = ""] = await thereAmong(pool, alert.settings.catalogues, reader);
  const facts = await catalogueFacts(pool, catalogueId, reader);
  if (facts === null) throw new Refusal("CONFLICT", "None of its catalogues is there any more");
  const { version, updatedAt: committedAt, name: catalogueName } = facts;
  const of = { catalogueId, entry: { version, committedAt, catalogueName } };
  const about = { alertId, kind: "test", eventId: null, catalogueId, version } as const;
  const row = { ...about, id, content: testContent(of, now()), told: null, dueAt: now() };
  await storeAlertMessages(pool, [row], now());
  return id;
}
