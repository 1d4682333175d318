import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { peek } from "#infra/kernel/iteration.ts";
import {
  type CatalogueState,
  type ExistingCatalogue,
  existing,
  openRevision,
  otherChange,
} from "#services/domain/catalogues/catalogue.ts";
import type { CatalogueTarget } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import {
  baseOf,
  decideOnCatalogue,
  loadCatalogue,
  type Precondition,
  requireTag,
  requireUndone,
} from "./catalogue-decision.ts";
import { earlierRun } from "./earlier-run.ts";
import { type RevisionContent, writeRevision } from "./write-revision.ts";

/** How a revision comes about; `restores` is the version that it repeats, whole or for one event. */
export type EditOrigin =
  | { readonly cause: "edit"; readonly restores?: number }
  | { readonly cause: "merge" }
  | { readonly cause: "restore"; readonly restores: number };

/** Writes a content as a version and returns its number; without chunks, the base version's. */
export type WriteEdit = (content: RevisionContent) => Promise<number>;

/** Plans an edit and passes its content to `write`, at most once. */
export type PlanEdit<T> = (base: CatalogueTarget, write: WriteEdit) => Promise<T>;

export type Edited<T> =
  | { readonly outcome: "planned"; readonly result: T }
  /** An earlier run of the command made this version. */
  | {
      readonly outcome: "earlier";
      readonly version: number;
      readonly added: number;
      readonly updated: number;
      readonly removed: number;
    };

/** How often an edit is planned again when its base version is no longer the latest. */
const MAX_PLANS = 5;

/** The catalogue changed between the planning and the opening of the revision. */
class Outdated extends Error {}

/**
 * Changes the events of a catalogue by one new revision: plans on the latest version, then opens the
 * revision only if that version is still the latest. An edit without any change makes no version,
 * nor does a retried command whose edit was committed.
 * @throws Refusal NOT_FOUND, CONFLICT (another revision is open), PRECONDITION_FAILED; refusals of
 * `plan`
 */
export async function editCatalogue<T>(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  precondition: Precondition,
  origin: EditOrigin,
  plan: PlanEdit<T>,
): Promise<Edited<T>> {
  const earlier = await earlierRun(context, command, catalogueId);
  if (earlier.outcome === "committed") {
    const { revision: version, added, updated, removed } = earlier.commit;
    await context.untilVisible("catalogues", earlier.position);
    return { outcome: "earlier", version, added, updated, removed };
  }
  const first = { ...command, retried: false };
  for (let attempt = 1; ; attempt += 1) {
    const catalogue = await editable(context, catalogueId, precondition);
    const base = await targetOf(context, catalogue);
    try {
      const result = await plan(base, (content) =>
        write(context, first, { catalogue, base, precondition, origin }, content),
      );
      return { outcome: "planned", result };
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (attempt === MAX_PLANS) throw otherChange();
    }
  }
}

/** The latest version, to compare with. @throws Refusal NOT_FOUND, CONFLICT */
export async function latestTarget(
  context: CommandContext,
  catalogueId: string,
): Promise<CatalogueTarget> {
  const { state } = await loadCatalogue(context, catalogueId);
  return targetOf(context, existing(state));
}

async function targetOf(
  context: CommandContext,
  catalogue: ExistingCatalogue,
): Promise<CatalogueTarget> {
  const { catalogueId: id, bounds, eventCount, lastRevision } = catalogue;
  const present = await baseOf(context, catalogue);
  return { ...present, id, nextVersion: lastRevision + 1, bounds, hasEvents: eventCount > 0 };
}

type PlannedEdit = {
  readonly catalogue: ExistingCatalogue;
  readonly base: CatalogueTarget;
  readonly precondition: Precondition;
  readonly origin: EditOrigin;
};

/** Opens the revision with its first chunk: an edit without chunks makes no version. */
async function write(
  context: CommandContext,
  command: Command,
  edit: PlannedEdit,
  content: RevisionContent,
): Promise<number> {
  const { catalogue, base } = edit;
  const { totals, alongside } = content;
  const chunks = await peek(content.chunks);
  if (chunks === null) {
    await recordAlone(context, command, edit, (await alongside?.(base.version)) ?? []);
    return base.version;
  }
  return context.revisionsInProgress.during(catalogue.catalogueId, async () => {
    const opened = await open(context, command, edit);
    const position = await writeRevision(context, command, opened, { chunks, totals, alongside });
    await context.untilVisible("catalogues", position);
    return opened.lastRevision;
  });
}

/** Records what goes with a change, where nothing is to be changed. */
async function recordAlone(
  context: CommandContext,
  command: Command,
  edit: PlannedEdit,
  events: readonly CatalogueEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { position } = await decideOnCatalogue(context, command, edit.base.id, (present) => {
    requireAsPlanned(present, edit);
    return events;
  });
  await context.untilVisible("catalogues", position);
}

/** @throws Refusal NOT_FOUND, PRECONDITION_FAILED; Outdated */
function requireAsPlanned(present: CatalogueState, { catalogue, precondition }: PlannedEdit): void {
  requireTag(present, precondition);
  // A revision that was abandoned meanwhile may have affected the planning too.
  if (existing(present).lastRevision !== catalogue.lastRevision) throw new Outdated();
}

/**
 * A catalogue that nobody changes, when the read model shows it as it is.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT
 */
export async function editable(
  context: CommandContext,
  catalogueId: string,
  precondition: Precondition,
): Promise<ExistingCatalogue> {
  const loaded = await loadCatalogue(context, catalogueId);
  const { state } = loaded;
  requireTag(state, precondition);
  const catalogue = existing(state);
  if (catalogue.open) throw otherChange();
  await requireUndone(context, catalogueId, loaded);
  return catalogue;
}

async function open(
  context: CommandContext,
  command: Command,
  edit: PlannedEdit,
): Promise<ExistingCatalogue> {
  const { worker } = context;
  const { reason } = command;
  const { catalogue, origin } = edit;
  const { state } = await decideOnCatalogue(context, command, catalogue.catalogueId, (present) => {
    requireAsPlanned(present, edit);
    return openRevision(present, { ...origin, worker, ...(reason && { reason }) });
  });
  return existing(state);
}
