/** Merges and their decisions: how they are made, refreshed and changed; and who asks the threads for them. */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import type { MergeCounts } from "#contracts/http/merges.ts";
import type { MergeConfig } from "#contracts/merges/config.ts";
import type { MergeDecision, ShownDecision } from "#contracts/merges/decisions.ts";
import type { CatalogueAccess, Editing } from "#contracts/rights.ts";
import { type Asker, staying } from "#infra/kernel/fair-queue.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import {
  appliedDecisions,
  findDecision,
  hasMoreDecisions,
  pairsStandFor,
} from "#projections/read/merges/decisions.ts";
import { forgetMerge, leftMerges, type MergeRow } from "#projections/read/merges/merge.ts";
import type { Reader } from "#projections/read/rights.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { decisionEvents, type Merged, merged } from "#services/domain/merges/decisions.ts";
import { GROUPING_RULES } from "#services/domain/merges/grouping/group-events.ts";
import { createCatalogueCommand } from "../catalogues/commands.ts";
import { reportedChunks, totalsAfter, useBegun } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { editCatalogue, type PlanEdit } from "../revision.ts";
import { appendDecisions, loadCatalogue, type Precondition, untilCurrent } from "../streams.ts";
import type { GatewayThreads } from "../threads.ts";
import {
  adding,
  type DecidedMerge,
  names,
  type OfMerge,
  replacing,
  type ShownTo,
  shownDecisions,
  submittedDecisions,
  writeDecisions,
} from "./decisions.ts";
import { type MergeRequest, mergedSource, standsFor } from "./plan.ts";
import type { RefreshBegin, RefreshEnd } from "./refresh.ts";
import { otherRuns } from "./refresh-scope.ts";

/** The threads of merges, and the merges whose refreshes of this process run, or wait for a thread, by id. */
export type RefreshDeps = {
  readonly context: CommandContext;
  readonly threads: Pick<GatewayThreads, "merges">;
  readonly refreshing: Set<string>;
};

export type MergeCatalogues = MergeRequest & {
  readonly name: string;
  /** Absent: restricted where a source is, else internal. */
  readonly access?: CatalogueAccess | undefined;
  readonly editing?: Editing;
};

export type MergedCatalogue = MergeCounts & { readonly catalogueId: string };

/** Its signal cancels the merge; nothing of it remains. */
export type MergeRun = Asker & {
  /** Called with the number of merged events written, and their total. */
  readonly onProgress: (progress: { done: number; total: number }) => void;
};

/**
 * Merges catalogues into a new one and returns its id once it is visible. The sources are read and
 * grouped before anything is written.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR
 */
export async function mergeCataloguesCommand(
  { context, threads }: Omit<RefreshDeps, "refreshing">,
  command: Command,
  { name: text, access: given, editing = "all", ...request }: MergeCatalogues,
  { onProgress, ...asker }: MergeRun,
): Promise<MergedCatalogue> {
  const name = catalogueName(text);
  const merging = threads.merges.stream("streamMerged", request, asker);
  return useBegun(merging, async ({ sources, counts, chunks, end }) => {
    const { duplicateGroups } = counts;
    const merge = {
      config: request.config,
      sources: sources.map(mergedSource),
      duplicateGroups,
      rules: GROUPING_RULES,
    };
    const isOfRestricted = sources.some(({ isRestricted }) => isRestricted);
    const access = given ?? (isOfRestricted ? "restricted" : "internal");
    const { decisions = [] } = request;
    const wanted = { name, access, editing, merge, decisions };
    const catalogueId = await createCatalogueCommand(context, command, wanted, {
      chunks: reportedChunks(chunks, counts.eventCount, { onProgress }),
      totals: async () => ({ ...(await end()), updated: 0, removed: 0 }),
    });
    return { catalogueId, ...counts };
  });
}

export type RefreshMerge = {
  readonly catalogueId: string;
  /** Absent for the settings that the merge has. */
  readonly config?: MergeConfig | undefined;
  readonly reader: Reader;
  readonly precondition?: Precondition;
};

export type RefreshedMerge = {
  readonly version: number;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
};

/**
 * Makes a merged catalogue what a merge of the latest versions of its sources would be, with the decisions that hold,
 * by a new version; without one where it is so already. What was changed by hand is as the merge has it then.
 * @throws QueueFull; Refusal NOT_FOUND (also of a catalogue that is no merge), FORBIDDEN (a source may not be read),
 * CONFLICT (another change is in progress, or a source was deleted), PRECONDITION_FAILED, MERGE_ERROR
 */
export async function refreshMergeCommand(
  { context, threads, refreshing }: RefreshDeps,
  command: Command,
  { catalogueId, config, reader, precondition = null }: RefreshMerge,
  asker: Asker,
): Promise<RefreshedMerge> {
  const plan: PlanEdit<RefreshedMerge> = async (target, write) => {
    if (refreshing.has(catalogueId)) throw otherRuns();
    refreshing.add(catalogueId);
    try {
      const request = { catalogueId, config, reader, bounds: target.bounds };
      const refresh = threads.merges.stream("streamRefreshed", request, asker);
      return await useBegun(refresh, async ({ chunks, end, ...begin }) => {
        const version = await write({
          chunks,
          async totals() {
            const { isWhole, ...changes } = await end();
            return isWhole ? changes : totalsAfter(context, target, changes);
          },
          alongside: async (revision) => recorded(begin, revision, await end()),
        });
        const { added, updated, removed } = await end();
        return { version, added, updated, removed };
      });
    } finally {
      refreshing.delete(catalogueId);
    }
  };
  const edit = { context, command, catalogueId, precondition };
  const edited = await editCatalogue(edit, { cause: "merge" }, plan);
  if (edited.outcome === "planned") return edited.result;
  const { version, added, updated, removed } = edited;
  return { version, added, updated, removed };
}

/** Nothing where the merge is known to be as it is. */
function recorded(
  { base, sources, config, duplicateGroups }: RefreshBegin,
  revision: number,
  { added, updated, removed }: RefreshEnd,
): CatalogueEvent[] {
  const { id: catalogueId, decided } = base;
  const isSame =
    added + updated + removed === 0 &&
    base.revision === revision &&
    !base.isTouched &&
    base.rules === GROUPING_RULES &&
    isDeepStrictEqual(base.config, config) &&
    sources.every(({ version }, place) => version === base.sources[place]?.version);
  if (isSame) return [];
  const refresh = { config, sources: sources.map(mergedSource), duplicateGroups, decided };
  const data = { catalogueId, revision, ...refresh, rules: GROUPING_RULES };
  return [{ type: "MergeRefreshed", data }];
}

/** Many decisions, or a long body of them, are looked at in threads. */
export type DecisionDeps = {
  readonly context: CommandContext;
  readonly threads: Pick<GatewayThreads, "decisions">;
};

/** They are looked at within 20 ms. */
const FEW = 250;
/** A body with as many. */
const SMALL_BODY_BYTES = 64 * 1024;

/**
 * Replaces the decisions of a merge by those of a body; resolves when they are visible. Those about events of hidden
 * sources stay. It runs to its end, whether its caller waits or not.
 * @throws QueueFull; Refusal INVALID_JSON, NOT_FOUND, VALIDATION_ERROR
 */
export async function setDecisionsCommand(
  { context, threads: { decisions: threads } }: DecisionDeps,
  command: Command,
  of: OfMerge,
  { body, asker }: { readonly body: Buffer; readonly asker: Asker },
): Promise<void> {
  const { pool } = context;
  const { catalogueId } = of;
  const waiting = staying(asker);
  const submitted =
    body.length > SMALL_BODY_BYTES
      ? await threads.run("readBody", body, waiting)
      : submittedDecisions(body);
  await whileDeciding(context, catalogueId, async ({ sources }) => {
    const change = { ...of, sources, commandId: command.id };
    const isMuch =
      submitted instanceof Uint8Array || (await hasMoreDecisions(pool, catalogueId, FEW));
    const events = isMuch
      ? threads.stream("planReplacement", { ...change, wanted: submitted }, waiting)
      : replacing(pool, change, submitted);
    await record(context, command, catalogueId, events);
  });
}

/**
 * Adds a decision and returns its id once it is visible; that of one which says the same, where there is one.
 * @throws QueueFull; Refusal NOT_FOUND, VALIDATION_ERROR
 */
export function makeDecisionCommand(
  { context, threads }: DecisionDeps,
  command: Command,
  of: OfMerge,
  { decision, asker }: { readonly decision: MergeDecision; readonly asker: Asker },
): Promise<string> {
  const { pool } = context;
  return whileDeciding(context, of.catalogueId, async ({ sources }) => {
    const change = { ...of, sources, commandId: command.id };
    const { id, events } = (await hasMoreDecisions(pool, of.catalogueId, FEW))
      ? await threads.decisions.run("planAddition", { ...change, decision }, staying(asker))
      : await adding(pool, change, decision);
    await record(context, command, of.catalogueId, events);
    return id;
  });
}

type ShownDeps = Pick<DecisionDeps, "threads"> & {
  readonly pool: Pick<CommonQueryMethods, "any" | "one">;
};

/** The decisions of a merge as `writeDecisions` writes them. @throws QueueFull */
export async function writtenDecisions(
  { threads, pool }: ShownDeps,
  { id, latest, hidden }: DecidedMerge,
  to: ShownTo,
  asker: Asker,
): Promise<Uint8Array[]> {
  const merge = { id, latest, hidden };
  return (await hasMoreDecisions(pool, id, FEW))
    ? threads.decisions.run("showDecisions", { merge, to }, asker)
    : writeDecisions(await shownDecisions(pool, merge, to));
}

/** A decision of a merge; null where it does not hold. @throws QueueFull */
export async function shownDecision(
  { threads, pool }: ShownDeps,
  { id, latest, hidden }: DecidedMerge,
  decisionId: string,
  asker: Asker,
): Promise<ShownDecision | null> {
  const merge = { id, latest, hidden };
  if (await hasMoreDecisions(pool, id, FEW)) {
    return threads.decisions.run("showDecision", { merge, decisionId }, asker);
  }
  const decisions = await shownDecisions(pool, merge, { isGuest: false });
  return decisions.find((one) => one.id === decisionId) ?? null;
}

/** @throws Refusal NOT_FOUND */
export function withdrawDecisionCommand(
  context: CommandContext,
  command: Command,
  { catalogueId, hidden }: OfMerge,
  decisionId: string,
): Promise<void> {
  return whileDeciding(context, catalogueId, async () => {
    const known = await findDecision(context.pool, catalogueId, decisionId);
    if (known === null && command.retried) return;
    if (known === null || names(known, hidden)) {
      throw new Refusal("NOT_FOUND", "Decision not found");
    }
    const change = { withdrawn: [decisionId], made: [] };
    await record(context, command, catalogueId, decisionEvents(catalogueId, change));
  });
}

/**
 * Runs `work` on the decisions that hold, while nobody else changes those of the merge: each merge has an advisory
 * lock.
 */
function whileDeciding<T>(
  context: CommandContext,
  catalogueId: string,
  work: (catalogue: Merged) => Promise<T>,
): Promise<T> {
  const hash = createHash("sha256").update(`decisions of ${catalogueId}`).digest();
  return whileLocked(context.pool, hash.readBigInt64BE().toString(), async () => {
    const { state } = await loadCatalogue(context, catalogueId);
    const catalogue = merged(state);
    if ((await appliedDecisions(context.pool, catalogueId)) !== catalogue.decided) {
      await untilCurrent(context, "catalogues", await context.log.head());
    }
    return work(catalogue);
  });
}

async function record(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  events: Iterable<CatalogueEvent> | AsyncIterable<CatalogueEvent>,
): Promise<void> {
  const position = await appendDecisions(context, command, catalogueId, events);
  await context.untilVisible("catalogues", position);
}

/**
 * A function that sees to it that the pairs of a merge are kept as it was merged last: who comes first waits for as
 * long as the reading of its sources takes.
 */
export function createPairFinder(
  { merges }: Pick<GatewayThreads, "merges">,
  pool: Pick<CommonQueryMethods, "maybeOne">,
) {
  /** By the merge and what its pairs stand for. */
  const finding = new Map<string, Promise<void>>();
  /** @throws QueueFull; Refusal MERGE_ERROR */
  return async (
    merge: Pick<MergeRow, "id" | "config" | "sources">,
    asker: Asker,
  ): Promise<void> => {
    const { id: catalogueId } = merge;
    const state = standsFor(merge);
    if ((await pairsStandFor(pool, catalogueId)) === state) return;
    const key = `${catalogueId} ${state}`;
    const found =
      finding.get(key) ??
      merges.run("findPairs", { catalogueId }, staying(asker)).finally(() => finding.delete(key));
    finding.set(key, found);
    await found;
  };
}

export type PairFinder = ReturnType<typeof createPairFinder>;

/**
 * Clears away what is kept of merges that were deleted. The log says which those are: a read model that is being
 * rebuilt has none.
 */
export async function forgetDeleted(
  context: Pick<CommandContext, "pool" | "log" | "catalogueStates">,
): Promise<void> {
  for (const catalogueId of await leftMerges(context.pool)) {
    const { state } = await loadCatalogue(context, catalogueId);
    if (state.status === "deleted") await forgetMerge(context.pool, catalogueId);
  }
}
