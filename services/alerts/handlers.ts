import { sql } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import {
  ALERT_LIMITS,
  type Alert,
  type AlertDelivery,
  PREVIEW_LIMITS,
} from "#contracts/http/alerts.ts";
import { DAY_MS } from "#contracts/units.ts";
import { createAddressGuard } from "#infra/agency/http/address-guard.ts";
import { listDeliveries, retryNotification } from "#infra/brokers/notifications.ts";
import { readPersonalKey } from "#infra/vault/credentials.ts";
import { findUser } from "#projections/read/accounts.ts";
import {
  findAlert,
  listAlertsOf,
  type StoredAlert,
  stateOfAlert,
} from "#projections/read/alerts.ts";
import {
  type CreatedKey,
  CreatedUuidKey,
  createdBefore,
  createdKeyOf,
  readListPage,
} from "#projections/read/lists.ts";
import { existing } from "#services/domain/accounts/account.ts";
import { deleteAlert } from "#services/domain/accounts/alerts.ts";
import { isUserId } from "#services/domain/accounts/fields.ts";
import { shortName } from "#services/domain/texts.ts";
import { requireAdministrator } from "../access.ts";
import { changeAccount } from "../accounts/registration.ts";
import { type Actor, following, type Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import {
  confirmAlertCommand,
  createAlertCommand,
  testAlertCommand,
  updateAlertCommand,
} from "./commands.ts";
import { previewAlert } from "./preview.ts";
import { type AlertPrivate, decryptAlert, ruleOf } from "./rules.ts";

export function handlersOfAlerts(deps: HandlerDeps) {
  const { context, pool, now } = deps;
  const changes = { context, guard: createAddressGuard(deps.alertAddresses) };

  /** Of the caller, as far as the catalogues are there for its access token. @throws Refusal NOT_FOUND */
  async function own({ userId, token }: Actor, id: string): Promise<StoredAlert> {
    const alert = await findAlert(pool, id);
    const isOwn = alert?.userId === userId && isFor(alert, token?.catalogues ?? null);
    if (!isOwn) throw new Refusal("NOT_FOUND", "Alert not found");
    return alert;
  }

  async function shown(stored: StoredAlert) {
    const [first] = await decrypted(deps, stored.userId, [stored]);
    if (first === undefined) throw new Refusal("NOT_FOUND", "Alert not found");
    return first;
  }

  async function delivery(alertId: string, id: string): Promise<AlertDelivery> {
    const [found] = await listDeliveries(pool, alertId, sql.fragment`n.id = ${id}::uuid`, 1);
    if (found === undefined) throw new Refusal("NOT_FOUND", "Delivery not found");
    return found;
  }

  return {
    createAlert: async ({ command, actor, body }) => {
      const id = await createAlertCommand(changes, command, actor.userId, body);
      const { alert, parts } = await shown(await own(actor, id));
      return {
        body: { alert, secret: parts.secret },
        headers: { location: `/api/alerts/${id}` },
        isSecret: true,
      };
    },

    listAlerts: async ({ actor, query: { user } }) => {
      if (user !== undefined) {
        requireAdministrator(actor);
        if (!isUserId(user) || (await findUser(deps.lookups, user)) === null) {
          throw new Refusal("NOT_FOUND", "User not found");
        }
      }
      const userId = user ?? actor.userId;
      const only = actor.token?.catalogues ?? null;
      const stored = (await listAlertsOf(pool, userId)).filter((alert) => isFor(alert, only));
      const alerts = await decrypted(deps, userId, stored);
      return { body: { alerts: alerts.map(({ alert }) => alert) } };
    },

    confirmAlert: async ({ command, query }) => {
      await confirmAlertCommand(context, command, query.token);
      return { body: { message: "Confirmed: the alert tells by mail from now on" } };
    },

    getAlert: async ({ actor, params }) => {
      const { alert } = await shown(await own(actor, params.id));
      return { body: { alert } };
    },

    updateAlert: async ({ command, actor, params, body }) => {
      const before = await own(actor, params.id);
      await updateAlertCommand(changes, command, before, body);
      const { alert, parts } = await shown(await own(actor, params.id));
      const isNew =
        body.to?.kind === "webhook" && (body.to.secret ?? before.alert.settings.to !== "webhook");
      return { body: { alert, ...(isNew && { secret: parts.secret }) }, isSecret: Boolean(isNew) };
    },

    deleteAlert: async ({ command, actor, params }) => {
      const { id, userId } = await own(actor, params.id);
      await changeAccount(context, command, userId, (state) => deleteAlert(existing(state), id));
      return { body: { success: true } };
    },

    listAlertDeliveries: async ({ actor, params, query: { status, ...request } }) => {
      const { id } = await own(actor, params.id);
      const list = {
        name: `deliveries of ${id} ${status ?? ""}`,
        key: CreatedUuidKey,
        keyOf: createdKeyOf,
        read: (after: CreatedKey | null, limit: number) => {
          const ofStatus = sql.fragment`coalesce(${status ?? null}, n.status) = n.status`;
          const condition = sql.fragment`${ofStatus} and ${createdBefore("n", after)}`;
          return listDeliveries(pool, id, condition, limit);
        },
      };
      const { rows, nextCursor } = await readListPage(list, request);
      return { body: { deliveries: [...rows], ...following(nextCursor) } };
    },

    retryAlertDelivery: async ({ actor, params }) => {
      const { id } = await own(actor, params.id);
      await delivery(id, params.deliveryId);
      if (!(await retryNotification(pool, params.deliveryId, now(), id))) {
        throw new Refusal("CONFLICT", "Only a parked delivery can be sent again");
      }
      return { body: { delivery: await delivery(id, params.deliveryId) } };
    },

    testAlert: async ({ command, actor, params, reader }) => {
      const alert = await own(actor, params.id);
      const id = await testAlertCommand(context, command, alert, reader);
      return { body: { delivery: await delivery(alert.id, id) } };
    },

    previewAlert: async ({ command, body, query, asker, turn }) => {
      const name = shortName(body.name, ALERT_LIMITS.name);
      const rule = ruleOf(body, body.filter);
      const leave = await turn("analyses");
      try {
        const to = query.to === undefined ? now() : new Date(query.to);
        const from = query.from ?? new Date(to.getTime() - PREVIEW_LIMITS.days * DAY_MS);
        const request = { alert: { id: command.id, name }, rule, catalogues: body.catalogues };
        const times = { from: new Date(from), to };
        return { body: await previewAlert(deps, { ...request, ...times, signal: asker.signal }) };
      } finally {
        leave();
      }
    },
  } satisfies Partial<Handlers>;
}

/** Whether all catalogues of an alert are there for an access token; null is for all. */
function isFor({ alert }: StoredAlert, only: readonly string[] | null): boolean {
  return only === null || alert.settings.catalogues.every((id) => only.includes(id));
}

/** Alerts of a user as they are shown; none where the user is being deleted. */
async function decrypted(
  { pool }: Pick<HandlerDeps, "pool">,
  userId: string,
  all: readonly StoredAlert[],
) {
  const key = await readPersonalKey(pool, userId);
  if (key === null) return [];
  return all.map((stored) => {
    const parts = decryptAlert(key, stored.alert.privateEncrypted);
    return { alert: shownAlert(stored, parts), parts };
  });
}

function shownAlert(stored: StoredAlert, { name, url }: AlertPrivate): Alert {
  const { id, userId, alert, created_at, updated_at } = stored;
  const origin = url === undefined ? {} : { origin: new URL(url).origin };
  return {
    ...{ id, user_id: userId, name, ...alert.settings, created_at, updated_at },
    to: { kind: alert.settings.to, ...origin },
    ...stateOfAlert(stored),
  };
}
