import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { MadeAlert } from "#contracts/events/alerts.ts";
import type { Alert } from "#contracts/http/alerts.ts";
import { isoTimes, type Lookups } from "#infra/postgres/statements.ts";
import { uuidOrNull } from "./lists.ts";
import { isThereForUser } from "./rights.ts";

const StoredAlert = z.object({
  id: z.uuid(),
  userId: z.string(),
  alert: MadeAlert,
  isRegionGone: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type StoredAlert = Readonly<z.infer<typeof StoredAlert>>;

const REGION = sql.fragment`(a.alert -> 'settings' -> 'filter' ->> 'region')::uuid`;

const STORED = sql.fragment`a.id, a.user_id as "userId", a.alert,
  ${isoTimes("a.created_at", "a.updated_at")},
  ${REGION} is not null and not exists (
    select from read_model.regions r where r.id = ${REGION}) as "isRegionGone"
  from read_model.alerts a`;

/** The alerts of a user, newest first. */
export function listAlertsOf(pool: CommonQueryMethods, userId: string) {
  return pool.any(sql.type(StoredAlert)`
    select ${STORED} where a.user_id = ${userId} order by a.created_at desc, a.id desc`);
}

/** Null for an unknown one. */
export function findAlert(lookups: Lookups, id: string): Promise<StoredAlert | null> {
  return lookups.maybeOne(sql.type(StoredAlert)`
    select ${STORED} where a.id = ${uuidOrNull(id)}::uuid`);
}

export function countAlerts(pool: CommonQueryMethods): Promise<number> {
  return pool.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*) as count from read_model.alerts`);
}

/** How an alert stands, and why the service paused it. */
export function stateOfAlert({
  alert: { settings, isConfirmed, pausedBecause, isFailing },
  isRegionGone,
}: StoredAlert): Pick<Alert, "state" | "error"> {
  if (settings.to === "mail" && !isConfirmed) return { state: "unconfirmed", error: null };
  const error = isRegionGone ? "The region by which it chooses events was deleted" : pausedBecause;
  if (settings.active && !isRegionGone) return { state: "active", error: null };
  return { state: isFailing ? "failing" : "paused", error };
}

const Following = StoredAlert.pick({ id: true, userId: true, alert: true }).extend({
  since: z.string(),
  catalogueName: z.string(),
});
export type FollowingAlert = Readonly<z.infer<typeof Following>>;

/** Alerts that follow a catalogue which is there for their users, and after which place in the log. */
export function alertsFollowing(pool: CommonQueryMethods, catalogueId: string) {
  return pool.any(sql.type(Following)`
    select a.id, a.user_id as "userId", a.alert, a.since, c.name as "catalogueName"
    from read_model.alerts a
      join read_model.users u on u.id = a.user_id
      join read_model.catalogues c on c.id = ${catalogueId}::uuid
    where a.catalogues @> array[c.id] and a.tells and u.is_active and ${isThereForUser("c", "u")}`);
}
