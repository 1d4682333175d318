import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import type { CatalogueAccess, Editing } from "#contracts/catalogue-rights.ts";
import type { Derivation } from "#contracts/decluster.ts";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import type { EncodedChunk } from "#infra/log/chunks.ts";
import { deriveEventId } from "#infra/log/domain-events.ts";
import {
  createCatalogue,
  describeCatalogue,
  type ExistingCatalogue,
  evolve,
  existing,
  type MergeOrigin,
  openRevision,
  publicity,
  recordMerge,
} from "#services/domain/catalogues/catalogue.ts";
import { decisionEvents } from "#services/domain/merges/decisions.ts";
import type { Command, CommandContext } from "../context.ts";
import { appendDecisions } from "./append-decisions.ts";
import { decideOnCatalogue } from "./catalogue-decision.ts";
import { earlierRun } from "./earlier-run.ts";
import { type RevisionContent, writeRevision } from "./write-revision.ts";

export type NewCatalogue = {
  readonly name: string;
  readonly access: CatalogueAccess;
  readonly editing?: Editing;
  /** The merge that made the first version; null for submitted events. */
  readonly merge: MergeOrigin | null;
  /** Of a merge. */
  readonly decisions?: readonly MergeDecision[];
  readonly metadata?: CatalogueMetadata | null;
  readonly derivedFrom?: Derivation;
};

/** The id of the catalogue that a command creates; each run after an interrupted one uses a new id. */
export function catalogueIdOf(command: Pick<Command, "id">, run = 0): string {
  return deriveEventId(command.id, "catalogue", run);
}

/**
 * Creates a catalogue with the first version `content` and returns its id once it is visible. A
 * retried command whose catalogue exists returns that one's id; `content` is then read but not
 * written.
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
    await context.untilVisible("catalogues", position);
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
    const chunks = decided(context, command, catalogueId, wanted, content);
    return writeRevision(context, command, opened, { ...content, chunks });
  });
}

/** The chunks of a content, once the decisions of the merge are in the log. */
async function* decided(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  { decisions = [] }: NewCatalogue,
  { chunks }: RevisionContent,
): AsyncGenerator<EncodedChunk> {
  const made = decisions.map((decision, index) => ({
    id: deriveEventId(command.id, "decision", index),
    ...decision,
  }));
  const events = decisionEvents(catalogueId, { withdrawn: [], made });
  await appendDecisions(context, command, catalogueId, events);
  yield* chunks;
}

/** Reads all chunks, since their source may count events for its answer. */
async function drain(chunks: RevisionContent["chunks"]): Promise<void> {
  for await (const _chunk of chunks);
}

/** A single append creates the catalogue and opens its first revision. */
async function createOpened(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  wanted: NewCatalogue,
): Promise<ExistingCatalogue> {
  const { worker } = context;
  const { name, access, editing = "all", merge, metadata, derivedFrom } = wanted;
  const origin = derivedFrom && { derivedFrom };
  const create = {
    catalogueId,
    name,
    createdBy: command.actor,
    ...publicity(access),
    ...(editing === "members" && { editing }),
    ...origin,
  };
  const cause = merge === null ? "created" : "merge";
  const { state } = await decideOnCatalogue(context, command, catalogueId, (absent) => {
    const created = createCatalogue(absent, create);
    const there = created.reduce(evolve, absent);
    const merged = merge === null ? [] : recordMerge(there, merge);
    const events = [...created, ...merged, ...describeCatalogue(there, metadata)];
    return [...events, ...openRevision(events.reduce(evolve, absent), { cause, worker })];
  });
  return existing(state);
}
