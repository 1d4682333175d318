import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { Position } from "#infra/log/event-log.ts";
import { merged } from "#services/domain/merges/decisions.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnCatalogue } from "./catalogue-decision.ts";

/** Events of a change in one append, so that it is far below an append's limit. */
const PER_APPEND = 5;

/**
 * Appends a change of a merge's decisions, in parts; a repeated command appends what is missing still.
 * @param events as `decisionEvents` gives them
 * @returns position of the last one; null where nothing changes
 */
export async function appendDecisions(
  context: Pick<CommandContext, "log" | "now" | "catalogueStates">,
  command: Command,
  catalogueId: string,
  events: Iterable<CatalogueEvent> | AsyncIterable<CatalogueEvent>,
): Promise<Position | null> {
  let last: Position | null = null;
  let part: CatalogueEvent[] = [];
  for await (const event of events) {
    part.push(event);
    if (part.length === PER_APPEND) await append();
  }
  if (part.length > 0) await append();
  return last;

  async function append(): Promise<void> {
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
    part = [];
  }
}
