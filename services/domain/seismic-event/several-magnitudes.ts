import type { MagnitudeNames } from "#contracts/seismic-event/names-in-context.ts";
import { magnitudeRank } from "../merge/magnitude-type.ts";
import { ATTRIBUTE_READERS } from "./attribute-reader.ts";
import { type EventDraft, isGiven, keep } from "./event-draft.ts";

/**
 * Selects from an event's several magnitudes the one with the best type, the first of equals, unless
 * the event has a magnitude already. The others are kept unchanged.
 */
export function readSeveralMagnitudes(
  event: EventDraft,
  magnitudes: readonly MagnitudeNames[],
  record: Record<string, unknown>,
): void {
  const chosen = record["magnitude"] === null ? bestOf(event, magnitudes) : undefined;
  for (const names of magnitudes) {
    if (names === chosen) take(event, names, record);
    else {
      keep(event, names.type);
      keep(event, names.magnitude);
    }
  }
}

function bestOf({ members }: EventDraft, magnitudes: readonly MagnitudeNames[]) {
  let best: MagnitudeNames | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const names of magnitudes) {
    if (!isGiven(members[names.magnitude])) continue;
    const type = members[names.type];
    const rank = magnitudeRank(typeof type === "string" ? type.trim() : null);
    if (rank < bestRank) [best, bestRank] = [names, rank];
  }
  return best;
}

function take(event: EventDraft, names: MagnitudeNames, record: Record<string, unknown>): void {
  const { members, report } = event;
  record["magnitude"] = ATTRIBUTE_READERS.magnitude(members[names.magnitude], report);
  if (record["magnitude_type"] !== null) keep(event, names.type);
  else if (isGiven(members[names.type])) {
    record["magnitude_type"] = ATTRIBUTE_READERS.magnitude_type(members[names.type], report);
  }
}
