import type { Position } from "#infra/log/event-log.ts";
import { type AbandonRevision, abandonRevision } from "#services/domain/catalogues/catalogue.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnCatalogue } from "./catalogue-decision.ts";

/** The first error is the one reported: when abandoning fails too, the sweep will do it. */
export async function abandonAfterFailure(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  revision: number,
  cause: unknown,
): Promise<void> {
  const reason = cause instanceof Error ? cause.name : "unknown";
  try {
    await abandonIfOpen(context, command, catalogueId, { revision, reason });
  } catch (error) {
    context.logger.warn({ err: error, catalogueId, revision }, "revision left open");
  }
}

/** Abandons a revision if it is open. @returns position in the log; null when it was not open */
export async function abandonIfOpen(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  revision: AbandonRevision,
): Promise<Position | null> {
  const anew = { ...command, retried: false };
  const { position } = await decideOnCatalogue(context, anew, catalogueId, (state) =>
    state.status === "existing" && state.open?.revision === revision.revision
      ? abandonRevision(state, revision)
      : [],
  );
  return position;
}
