import { OWN_AUTHORITY } from "#contracts/seismic-event/own-public-id.ts";
import type { EventReading } from "./reading/event-reading.ts";
import { isOwnEvent } from "./row/agency-ids.ts";
import { childrenOf, type Members } from "./row/members.ts";

/** The ids that our writer gives to the one origin and the one magnitude of a row. */
const OWN_SOLUTION = new RegExp(`^${OWN_AUTHORITY.replace(".", "\\.")}(?:origin|magnitude)/\\w+$`);

/** True for an event that our writer made of a row alone: the row says all of it. */
export function isRowAlone(
  event: Members,
  { isBeyondRow }: Pick<EventReading, "isBeyondRow">,
): boolean {
  if (isBeyondRow || !isOwnEvent(event)) return false;
  const origins = childrenOf(event, "origin");
  const magnitudes = childrenOf(event, "magnitude");
  if (origins.length !== 1 || magnitudes.length > 1) return false;
  return [...origins, ...magnitudes].every(
    ({ publicID }) => typeof publicID === "string" && OWN_SOLUTION.test(publicID),
  );
}
