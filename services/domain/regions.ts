/** Decisions about regions: pure functions from state and command to events or a refusal. */

import { unknownCase } from "#contracts/cases.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import { type RegionEvent, RegionSettings } from "#contracts/events/regions.ts";
import { REGION_LIMITS } from "#contracts/http/regions.ts";
import { isShownText, NOT_SHOWN } from "#contracts/text.ts";
import { shortName } from "./texts.ts";

export type RegionState =
  | { readonly status: "absent" | "deleted" }
  | { readonly status: "existing"; readonly settings: RegionSettings };

export const ABSENT: RegionState = { status: "absent" };

export function evolve(_: RegionState, { type, data }: RegionEvent): RegionState {
  switch (type) {
    case "RegionCreated":
    case "RegionChanged":
      return { status: "existing", settings: data.settings };
    case "RegionDeleted":
      return { status: "deleted" };
    default:
      return unknownCase(type);
  }
}

/** @throws Refusal CONFLICT, MISSING_NAME, VALIDATION_ERROR */
export function createRegion(
  state: RegionState,
  regionId: string,
  settings: RegionSettings,
): RegionEvent[] {
  if (state.status !== "absent") throw new Refusal("CONFLICT", "This region exists already");
  return [{ type: "RegionCreated", data: { regionId, settings: checked(settings) } }];
}

/** Without a change there is no event. @throws Refusal NOT_FOUND, MISSING_NAME, VALIDATION_ERROR */
export function changeRegion(
  state: RegionState,
  regionId: string,
  change: Partial<RegionSettings>,
): RegionEvent[] {
  const before = existing(state);
  const settings = checked({ ...before, ...change });
  if (JSON.stringify(settings) === JSON.stringify(before)) return [];
  return [{ type: "RegionChanged", data: { regionId, settings } }];
}

/** @throws Refusal NOT_FOUND */
export function deleteRegion(state: RegionState, regionId: string): RegionEvent[] {
  existing(state);
  return [{ type: "RegionDeleted", data: { regionId } }];
}

function existing(state: RegionState): RegionSettings {
  if (state.status !== "existing") throw new Refusal("NOT_FOUND", "Region not found");
  return state.settings;
}

/** In stored form. @throws Refusal MISSING_NAME, VALIDATION_ERROR */
function checked(settings: RegionSettings): RegionSettings {
  const note = settings.note?.trim() || null;
  if (note !== null && !isShownText(note)) throw invalid("note", NOT_SHOWN);
  const name = shortName(settings.name, REGION_LIMITS.name);
  return RegionSettings.parse({ ...settings, name, note });
}
