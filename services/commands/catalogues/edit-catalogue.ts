import { catalogueStream } from "#contracts/names.ts";
import { existing, openRevision } from "#services/domain/catalogue/decide.ts";
import type { ExistingCatalogue } from "#services/domain/catalogue/state.ts";
import { Refusal } from "#services/domain/errors.ts";
import type { Command, CommandContext } from "../context.ts";
import { loadState } from "../decide-on-stream.ts";
import { baseOf } from "./base-version.ts";
import { catalogueModel, decideOnCatalogue, untilVisible } from "./catalogue-decision.ts";
import { earlierRun } from "./earlier-run.ts";
import { type BaseVersion, boundsAfter, contentOf, type Edit } from "./edit.ts";
import { type Precondition, requireTag } from "./precondition.ts";
import { writeRevision } from "./write-revision.ts";

/** What an edit has done. */
export type Edited<E extends Edit> = {
  /** The version that holds the edit. */
  readonly version: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  /** The edit as it was planned; null when an earlier run of the command has made it. */
  readonly edit: E | null;
};

/** Edits that meet a newer version than they were planned on are planned anew. */
const MAX_PLANS = 5;

/** The catalogue was changed between planning and opening the revision. */
class Outdated extends Error {}

/**
 * Changes the events of a catalogue by one new revision: plans on the latest version, then opens the
 * revision only if that version is still the latest. An edit that changes nothing makes no version.
 * A retried command whose edit was committed makes no other.
 * @throws Refusal not-found, conflict (another revision is open), precondition; whatever `plan` refuses with
 */
export async function editCatalogue<E extends Edit>(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  precondition: Precondition,
  plan: (base: BaseVersion) => Promise<E>,
): Promise<Edited<E>> {
  const earlier = await earlierRun(context, command, catalogueId);
  if (earlier.outcome === "committed") {
    const { revision: version, added, updated, removed } = earlier.commit;
    await untilVisible(context, earlier.position);
    return { version, added, updated, removed, edit: null };
  }
  const first = { ...command, retried: false };
  return edited(await planAndWrite(context, first, catalogueId, precondition, plan));
}

function edited<E extends Edit>({ version, edit }: { version: number; edit: E }): Edited<E> {
  const { added, updated, removed } = edit;
  return {
    version,
    added: added.length,
    updated: updated.length,
    removed: removed.length,
    edit,
  };
}

async function planAndWrite<E extends Edit>(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  precondition: Precondition,
  plan: (base: BaseVersion) => Promise<E>,
): Promise<{ version: number; edit: E }> {
  for (let attempt = 1; ; attempt += 1) {
    const catalogue = await editable(context, catalogueId, precondition);
    const base = await baseOf(context, catalogue);
    const edit = await plan(base);
    if (isEmpty(edit)) return { version: base.version, edit };
    const bounds = await boundsAfter(context, catalogue, base, edit);
    try {
      const version = await context.revisionsInProgress.during(catalogueId, async () => {
        const opened = await open(context, command, catalogue, precondition);
        const position = await writeRevision(context, command, opened, contentOf(edit, bounds));
        await untilVisible(context, position);
        return opened.lastRevision;
      });
      return { version, edit };
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (attempt === MAX_PLANS) throw new Refusal("conflict", "The catalogue keeps changing");
    }
  }
}

async function editable(
  context: CommandContext,
  catalogueId: string,
  precondition: Precondition,
): Promise<ExistingCatalogue> {
  const stream = catalogueStream(catalogueId);
  const { state, revision } = await loadState(context.log, stream, catalogueModel);
  requireTag(state, precondition);
  const catalogue = existing(state);
  if (catalogue.open)
    throw new Refusal("conflict", "Another change of this catalogue is in progress");
  // Until a revision that was given up is taken back, events that it had ended cannot be found.
  if (catalogue.lastRevision > catalogue.version) {
    const [last] = await context.log.read(stream, revision, 1);
    await untilVisible(context, last?.position ?? null);
  }
  return catalogue;
}

async function open(
  context: CommandContext,
  command: Command,
  base: ExistingCatalogue,
  precondition: Precondition,
): Promise<ExistingCatalogue> {
  const { worker } = context;
  const { state } = await decideOnCatalogue(context, command, base.catalogueId, (present) => {
    requireTag(present, precondition);
    const events = openRevision(present, { cause: "edit", worker });
    // Also one that was given up meanwhile may have disturbed the planning.
    if (existing(present).lastRevision !== base.lastRevision) throw new Outdated();
    return events;
  });
  return existing(state);
}

function isEmpty({ added, updated, removed }: Edit): boolean {
  return added.length + updated.length + removed.length === 0;
}
