/** Alerts as they are applied: their filters read, their secrets decrypted. */

import { createHmac, type KeyObject } from "node:crypto";
import { z } from "zod";
import type { AlertSettings } from "#contracts/events/alerts.ts";
import { type EventFilters, expressionOf, type RegionArea } from "#contracts/query/filters.ts";
import { BodyFilters } from "#contracts/query/parameters.ts";
import { predicateOf } from "#contracts/query/predicate.ts";
import { HOUR_MS } from "#contracts/units.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import { decryptPersonal, encryptPersonal } from "#infra/vault/personal-data.ts";
import type { FollowingAlert } from "#projections/read/alerts.ts";
import type { AlertRule } from "#services/domain/alerts.ts";
import type { Regions } from "../regions/commands.ts";

/** What of an alert is encrypted in the log; address and secret of a webhook alone. */
const AlertPrivate = z.object({
  name: z.string(),
  url: z.string().optional(),
  secret: z.string().optional(),
});
export type AlertPrivate = Readonly<z.infer<typeof AlertPrivate>>;

export function encryptAlert(key: KeyObject, parts: AlertPrivate): string {
  return encryptPersonal(key, JSON.stringify(parts));
}

export function decryptAlert(key: KeyObject, encrypted: string): AlertPrivate {
  return AlertPrivate.parse(JSON.parse(decryptPersonal(key, encrypted)));
}

/** What the link has in it by which the account's address is confirmed for an alert. @param key the user's own */
export function confirmationToken(key: KeyObject, alertId: string): string {
  const proof = createHmac("sha256", key).update(`alert ${alertId}`).digest("base64url");
  return `${alertId}.${proof}`;
}

export function ruleOf(
  { on, revisedBy, maxAgeHours }: Pick<AlertSettings, "on" | "revisedBy" | "maxAgeHours">,
  filters: EventFilters,
): AlertRule {
  const filter = predicateOf(expressionOf(filters));
  return { filter, on, revisedBy, maxAgeMs: maxAgeHours * HOUR_MS };
}

/** An alert that looks at the versions of a catalogue. */
export type FollowingRule = FollowingAlert & {
  readonly rule: AlertRule;
  /** No event below it passes the filter, nor one without a magnitude; −∞ where there is no such bound. */
  readonly minMagnitude: number;
};

/** Alerts whose filters are kept; each takes some kilobytes, with a polygon more. */
const KEPT_RULES = 20_000;

/** Makes the rules of alerts, each once for its settings; without those that choose events by a region that is gone. */
export function createRules(regions: Regions) {
  const recent = createRecent<{ readonly text: string; readonly made: FollowingRule }>(KEPT_RULES);

  function keptRule(alert: FollowingAlert, area: RegionArea | null): FollowingRule {
    const text = JSON.stringify([alert, area?.revision]);
    const known = recent.get(alert.id);
    if (known?.text === text) return known.made;
    const { settings } = alert.alert;
    const minMagnitude = Number(settings.filter["minMagnitude"] ?? Number.NEGATIVE_INFINITY);
    const filters = {
      ...BodyFilters.parse(settings.filter),
      ...(area && { regionArea: area }),
    };
    const made = { ...alert, rule: ruleOf(settings, filters), minMagnitude };
    return recent.keep(alert.id, { text, made }).made;
  }

  return async (alerts: readonly FollowingAlert[]): Promise<FollowingRule[]> => {
    const areas = new Map<string, RegionArea | null>();
    for (const id of new Set(alerts.flatMap(regionOf))) areas.set(id, await regions.find(id));
    return alerts.flatMap((alert) => {
      const [region] = regionOf(alert);
      const area = region === undefined ? null : (areas.get(region) ?? null);
      return region !== undefined && area === null ? [] : [keptRule(alert, area)];
    });
  };
}

function regionOf({ alert }: FollowingAlert): string[] {
  const { region } = alert.settings.filter;
  return region === undefined ? [] : [String(region)];
}
