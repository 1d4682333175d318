import { deriveEventId } from "#infra/event-log/domain-events.ts";
import {
  createCatalogue,
  existing,
  type MergeOrigin,
  openRevision,
  recordMerge,
} from "#services/domain/catalogue/decide.ts";
import { type ExistingCatalogue, evolve } from "#services/domain/catalogue/state.ts";
import type { Command, CommandContext } from "../context.ts";
import { decideOnCatalogue, untilVisible } from "./catalogue-decision.ts";
import { earlierRun } from "./earlier-run.ts";
import { type RevisionContent, writeRevision } from "./write-revision.ts";

export type NewCatalogue = {
  readonly name: string;
  readonly isPublic: boolean;
  /** What its first version is merged of, null for one of submitted events. */
  readonly merge: MergeOrigin | null;
};

/** The id of the catalogue that a command creates: a run that was cut off used up the one before. */
export function catalogueIdOf(command: Pick<Command, "id">, run = 0): string {
  return deriveEventId(command.id, "catalogue", run);
}

/**
 * Creates a catalogue whose first version is `content`, and answers its id once it is visible.
 * A retried command whose catalogue is there already answers that one; `content` is then read and
 * not written.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR
 */
export async function createCatalogueCommand(
  context: CommandContext,
  command: Command,
  wanted: NewCatalogue,
  content: RevisionContent,
): Promise<string> {
  for (let run = 0; ; run += 1) {
    const catalogueId = catalogueIdOf(command, run);
    const earlier = await earlierRun(context, command, catalogueId);
    if (earlier.outcome === "cut-off") continue;
    const position =
      earlier.outcome === "committed"
        ? earlier.position
        : await create(context, { ...command, retried: false }, catalogueId, wanted, content);
    if (earlier.outcome === "committed") await drain(content.chunks);
    await untilVisible(context, position);
    return catalogueId;
  }
}

function create(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  wanted: NewCatalogue,
  content: RevisionContent,
): ReturnType<typeof writeRevision> {
  return context.revisionsInProgress.during(catalogueId, async () => {
    const opened = await createOpened(context, command, catalogueId, wanted);
    return writeRevision(context, command, opened, content);
  });
}

/** What reads the events may count them for its answer. */
async function drain(chunks: RevisionContent["chunks"]): Promise<void> {
  for await (const _chunk of chunks);
}

/** One append both creates the catalogue and opens its first revision. */
async function createOpened(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  { name, isPublic, merge }: NewCatalogue,
): Promise<ExistingCatalogue> {
  const { worker } = context;
  const create = { catalogueId, name, isPublic, createdBy: command.actor };
  const cause = merge === null ? "created" : "merge";
  const { state } = await decideOnCatalogue(context, command, catalogueId, (absent) => {
    const created = createCatalogue(absent, create);
    const merged = merge === null ? [] : recordMerge(created.reduce(evolve, absent), merge);
    const events = [...created, ...merged];
    return [...events, ...openRevision(events.reduce(evolve, absent), { cause, worker })];
  });
  return existing(state);
}
