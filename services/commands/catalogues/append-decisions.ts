import type { Position } from "#infra/event-log/event-log.ts";
import {
  type DecisionChange,
  decisionEvents,
  merged,
} from "#services/domain/catalogue/decisions.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnCatalogue } from "./catalogue-decision.ts";

/** Events of a change in one append, so that it is far below an append's limit. */
const PER_APPEND = 5;

/**
 * Appends a change of a merge's decisions, in parts; a repeated command appends what is missing still.
 * @returns position of the last one; null where nothing changes
 */
export async function appendDecisions(
  context: Pick<CommandContext, "log" | "now" | "catalogueStates">,
  command: Command,
  catalogueId: string,
  change: DecisionChange,
): Promise<Position | null> {
  const events = decisionEvents(catalogueId, change);
  let last: Position | null = null;
  for (let start = 0; start < events.length; start += PER_APPEND) {
    const part = events.slice(start, start + PER_APPEND);
    const { position } = await decideOnCatalogue(
      context,
      { ...command, retried: false },
      catalogueId,
      (state) => {
        merged(state);
        return part;
      },
    );
    last = position;
  }
  return last;
}
