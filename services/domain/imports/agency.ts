/** Decisions about agencies: pure functions from state and command to events or a refusal. */

import { unknownCase } from "#contracts/cases.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import { AGENCY_LIMITS } from "#contracts/events/agencies.ts";
import type { AgencyEvent, AgencySettings } from "#contracts/events/imports.ts";
import { shortName } from "../texts.ts";

export type AgencyState =
  | { readonly status: "absent" }
  | { readonly status: "existing"; readonly settings: AgencySettings };

export const ABSENT: AgencyState = { status: "absent" };

/** An agency that was removed may be added again. */
export function evolve(_: AgencyState, { type, data }: AgencyEvent): AgencyState {
  switch (type) {
    case "AgencyAdded":
    case "AgencyChanged":
      return { status: "existing", settings: data.settings };
    case "AgencyRemoved":
      return ABSENT;
    default:
      return unknownCase(type);
  }
}

/**
 * @param settings as `checkedSettings` gives them
 * @throws Refusal CONFLICT
 */
export function addAgency(
  state: AgencyState,
  agencyId: string,
  settings: AgencySettings,
): AgencyEvent[] {
  if (state.status === "existing") throw new Refusal("CONFLICT", "This agency exists already");
  return [{ type: "AgencyAdded", data: { agencyId, settings } }];
}

/**
 * Without a change there is no event.
 * @param before the settings that were changed: a decision on others is of no use
 * @param after as `checkedSettings` gives them
 * @throws Refusal NOT_FOUND; CONFLICT where somebody else changed it meanwhile
 */
export function changeAgency(
  state: AgencyState,
  agencyId: string,
  { before, after, isPreset }: SettingsChange,
): AgencyEvent[] {
  const present = state.status === "existing" ? state.settings : isPreset ? before : null;
  if (present === null) throw new Refusal("NOT_FOUND", "Agency not found");
  if (!areSame(present, before)) {
    throw new Refusal("CONFLICT", "The agency was changed meanwhile");
  }
  if (areSame(before, after)) return [];
  return [{ type: "AgencyChanged", data: { agencyId, settings: after } }];
}

export type SettingsChange = {
  readonly before: AgencySettings;
  readonly after: AgencySettings;
  /** Known beforehand: it exists without an event. */
  readonly isPreset: boolean;
};

/** @throws Refusal NOT_FOUND */
export function removeAgency(state: AgencyState, agencyId: string): AgencyEvent[] {
  if (state.status !== "existing") throw new Refusal("NOT_FOUND", "Agency not found");
  return [{ type: "AgencyRemoved", data: { agencyId } }];
}

/**
 * Settings in stored form: a trimmed name, addresses as they are asked.
 * @throws Refusal MISSING_NAME, VALIDATION_ERROR
 */
export function checkedSettings(settings: AgencySettings): AgencySettings {
  const { name, url, dialect, push } = settings;
  return {
    ...settings,
    name: shortName(name, AGENCY_LIMITS.name),
    url: agencyAddress(url, dialect),
    push: push === null ? null : parsed("push", push, ["ws:", "wss:"]).href,
  };
}

function areSame(one: AgencySettings, other: AgencySettings): boolean {
  return (Object.keys(one) as (keyof AgencySettings)[]).every((key) => one[key] === other[key]);
}

/**
 * The address of an event service, as a prefix of paths without a trailing slash, or of a table's file.
 * @throws Refusal VALIDATION_ERROR
 */
function agencyAddress(text: string, dialect: AgencySettings["dialect"]): string {
  const url = parsed("url", text, ["http:", "https:"]);
  if (dialect === "table") return url.href;
  if (url.search !== "") throw invalid("url", "must have no query");
  let end = url.href.length;
  while (url.href[end - 1] === "/") end -= 1;
  return url.href.slice(0, end);
}

function parsed(field: string, text: string, schemes: readonly string[]): URL {
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol)) {
    throw invalid(field, `must be an address that begins with ${schemes.join("// or ")}//`);
  }
  if (`${url.username}${url.password}${url.hash}` !== "") {
    throw invalid(field, "must have no user name and no fragment");
  }
  return url;
}
