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
import { type RevisionContent, writeRevision } from "./write-revision.ts";

export type NewCatalogue = {
  readonly name: string;
  readonly isPublic: boolean;
  /** What its first version is merged of, null for one of submitted events. */
  readonly merge: MergeOrigin | null;
};

/**
 * Creates a catalogue whose first version is `content`, and answers its id once it is visible.
 * @throws Refusal missing-name, name-too-long, invalid
 */
export async function createCatalogueCommand(
  context: CommandContext,
  command: Command,
  wanted: NewCatalogue,
  content: RevisionContent,
): Promise<string> {
  const catalogueId = context.newId();
  const position = await context.revisionsInProgress.during(catalogueId, async () => {
    const opened = await createOpened(context, command, catalogueId, wanted);
    return writeRevision(context, command, opened, content);
  });
  await untilVisible(context, position);
  return catalogueId;
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
