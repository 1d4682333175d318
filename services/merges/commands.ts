import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { CommonQueryMethods } from "slonik";
import { Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import type { Duplicates } from "#contracts/http/events.ts";
import type {
  MergeCounts,
  MergeEvaluation,
  MergePreview,
  RefreshPreview,
} from "#contracts/http/merges.ts";
import type { MergeConfig } from "#contracts/merges/config.ts";
import type { MergeDecision, ShownDecision } from "#contracts/merges/decisions.ts";
import type { CatalogueAccess, Editing } from "#contracts/rights.ts";
import { type Asker, staying } from "#infra/kernel/fair-queue.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
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
import {
  type CatalogueTarget,
  type ChunkStream,
  countedChunks,
  totalsAfter,
  useChunks,
} from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { editCatalogue } from "../revision.ts";
import { appendDecisions, loadCatalogue, type Precondition, untilCurrent } from "../streams.ts";
import type * as decisionTasks from "./decision-worker.ts";
import type { ReadDecisions } from "./decision-worker.ts";
import {
  type AddedDecision,
  adding,
  type DecidedMerge,
  type DecisionsOf,
  names,
  type OfMerge,
  replacing,
  type ShownTo,
  shownDecisions,
  submittedDecisions,
  writeDecisions,
} from "./decisions.ts";
import { type MergeRequest, mergedSource, standsFor } from "./plan.ts";
import type { DuplicatesRequest, EvaluationGrid } from "./preview.ts";
import type { RefreshBegin, RefreshEnd, RefreshTask } from "./refresh.ts";
import { otherRuns, type RefreshRequest } from "./refresh-scope.ts";
import type * as tasks from "./worker.ts";
import type { FindPairsTask, MergeBegin, MergeEnd, MergeTask } from "./worker.ts";

/** A running merge, whose groups are known; the merged events come as chunks. */
export type RunningMerge = MergeBegin & ChunkStream<MergeEnd>;
export type RunningRefresh = RefreshBegin & ChunkStream<RefreshEnd>;

/** Merges in worker threads, each with its own database connection. */
export type Merger = {
  /**
   * Passes the merged events to `use`, in chunks; chunks that are not read are not merged.
   * @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason; errors of `use`
   */
  readonly merge: <T>(
    request: MergeRequest,
    asker: Asker,
    use: (merge: RunningMerge) => Promise<T>,
  ) => Promise<T>;
  /** @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason */
  readonly preview: (request: MergeRequest, asker: Asker) => Promise<MergePreview>;
  /** @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, CONFLICT, MERGE_ERROR; the signal's reason */
  readonly evaluate: (
    request: MergeRequest,
    grid: EvaluationGrid,
    run: MergeRun,
  ) => Promise<MergeEvaluation>;
  /** @throws QueueFull; Refusal NOT_FOUND, MERGE_ERROR; the signal's reason */
  readonly duplicates: (request: DuplicatesRequest, asker: Asker) => Promise<Duplicates>;
  /**
   * Passes the changes of a refresh to `use`, in chunks.
   * @throws QueueFull; Refusal NOT_FOUND, FORBIDDEN, CONFLICT, MERGE_ERROR; the signal's reason; errors of `use`
   */
  readonly refresh: <T>(
    request: Omit<RefreshTask, "databaseUrl">,
    asker: Asker,
    use: (refresh: RunningRefresh) => Promise<T>,
  ) => Promise<T>;
  /** @throws QueueFull; Refusal VALIDATION_ERROR, NOT_FOUND, FORBIDDEN, CONFLICT, MERGE_ERROR; the signal's reason */
  readonly previewRefresh: (request: RefreshRequest, asker: Asker) => Promise<RefreshPreview>;
};

export function createMerger(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<MergeTask, "databaseUrl">,
): Merger {
  /** Ids of catalogues: what waits for a thread runs already, for whoever asks. */
  const refreshing = new Set<string>();
  return {
    merge: (request, asker, use) =>
      useChunks(threads.stream("streamMerged", { ...request, databaseUrl }, asker), use),
    preview: (request, asker) => threads.run("previewMerged", { ...request, databaseUrl }, asker),
    previewRefresh: (request, asker) =>
      threads.run("previewRefresh", { ...request, databaseUrl }, asker),
    async evaluate(request, grid, { onProgress, ...asker }) {
      const total = grid.timeThresholds.length * grid.distanceThresholds.length;
      const task = { ...request, grid, databaseUrl };
      const evaluating = threads.stream("evaluateMerged", task, asker);
      for (;;) {
        const { done, value } = await evaluating.next();
        if (done) return value;
        onProgress({ done: value, total });
      }
    },
    duplicates: (request, asker) =>
      threads.run("findDuplicates", { ...request, databaseUrl }, asker),
    async refresh(request, asker, use) {
      const { catalogueId } = request;
      if (refreshing.has(catalogueId)) throw otherRuns();
      refreshing.add(catalogueId);
      try {
        const items = threads.stream("streamRefreshed", { ...request, databaseUrl }, asker);
        return await useChunks(items, use);
      } finally {
        refreshing.delete(catalogueId);
      }
    },
  };
}

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
  deps: { readonly context: CommandContext; readonly merger: Merger },
  command: Command,
  { name: text, access: given, editing = "all", ...request }: MergeCatalogues,
  { onProgress, ...asker }: MergeRun,
): Promise<MergedCatalogue> {
  const name = catalogueName(text);
  const { context, merger } = deps;
  return merger.merge(request, asker, async ({ sources, counts, chunks, end }) => {
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
      chunks: countedChunks(chunks, (done) => onProgress({ done, total: counts.eventCount })),
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
  { context, merger }: { readonly context: CommandContext; readonly merger: Merger },
  command: Command,
  { catalogueId, config, reader, precondition = null }: RefreshMerge,
  asker: Asker,
): Promise<RefreshedMerge> {
  const edited = await editCatalogue(
    context,
    command,
    catalogueId,
    precondition,
    { cause: "merge" },
    (target, write) => {
      const request = { catalogueId, config, reader, bounds: target.bounds };
      return merger.refresh(request, asker, async ({ chunks, end, ...begin }) => {
        const version = await write({
          chunks,
          totals: async () => totals(context, target, await end()),
          alongside: async (revision) => recorded(begin, revision, await end()),
        });
        const { added, updated, removed } = await end();
        return { version, added, updated, removed };
      });
    },
  );
  if (edited.outcome === "planned") return edited.result;
  const { version, added, updated, removed } = edited;
  return { version, added, updated, removed };
}

function totals(
  context: CommandContext,
  target: CatalogueTarget,
  { isWhole, ...changes }: RefreshEnd,
) {
  return isWhole ? changes : totalsAfter(context, target, changes);
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

export type DecisionDeps = {
  readonly context: CommandContext;
  readonly decisionWork: DecisionWork;
};

/**
 * Replaces the decisions of a merge by those of a body; resolves when they are visible. Those about events of hidden
 * sources stay. It runs to its end, whether its caller waits or not.
 * @throws QueueFull; Refusal INVALID_JSON, NOT_FOUND, VALIDATION_ERROR
 */
export async function setDecisionsCommand(
  { context, decisionWork }: DecisionDeps,
  command: Command,
  of: OfMerge,
  { body, asker }: { readonly body: Buffer; readonly asker: Asker },
): Promise<void> {
  const waiting = staying(asker);
  const wanted = await decisionWork.read(body, waiting);
  await whileDeciding(context, of.catalogueId, async ({ sources }) => {
    const change = { ...of, sources, commandId: command.id };
    const events = decisionWork.replacing(change, wanted, waiting);
    await record(context, command, of.catalogueId, events);
  });
}

/**
 * Adds a decision and returns its id once it is visible; that of one which says the same, where there is one.
 * @throws QueueFull; Refusal NOT_FOUND, VALIDATION_ERROR
 */
export function makeDecisionCommand(
  { context, decisionWork }: DecisionDeps,
  command: Command,
  of: OfMerge,
  { decision, asker }: { readonly decision: MergeDecision; readonly asker: Asker },
): Promise<string> {
  return whileDeciding(context, of.catalogueId, async ({ sources }) => {
    const change = { ...of, sources, commandId: command.id };
    const { id, events } = await decisionWork.adding(change, decision, staying(asker));
    await record(context, command, of.catalogueId, events);
    return id;
  });
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

/** Runs `work` on the decisions that hold, while nobody else changes those of the merge. */
function whileDeciding<T>(
  context: CommandContext,
  catalogueId: string,
  work: (catalogue: Merged) => Promise<T>,
): Promise<T> {
  return whileLocked(context.pool, lockOf(catalogueId), async () => {
    const { state } = await loadCatalogue(context, catalogueId);
    const catalogue = merged(state);
    if ((await appliedDecisions(context.pool, catalogueId)) !== catalogue.decided) {
      await untilCurrent(context, "catalogues", await context.log.head());
    }
    return work(catalogue);
  });
}

/** An advisory lock for each merge. */
function lockOf(catalogueId: string): string {
  const hash = createHash("sha256").update(`decisions of ${catalogueId}`).digest();
  return hash.readBigInt64BE().toString();
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

/** Decisions that were read from a body. */
export type SubmittedDecisions = ReadDecisions | readonly MergeDecision[];

/** Work with the decisions of merges, with many of them in worker threads. */
export type DecisionWork = {
  /** @throws QueueFull; Refusal INVALID_JSON, VALIDATION_ERROR */
  readonly read: (body: Buffer, asker: Asker) => Promise<SubmittedDecisions>;
  /** As `replacing`, once its events are asked for. @throws QueueFull; Refusal VALIDATION_ERROR */
  readonly replacing: (
    of: DecisionsOf,
    wanted: SubmittedDecisions,
    asker: Asker,
  ) => AsyncIterable<CatalogueEvent>;
  /** @throws QueueFull; Refusal VALIDATION_ERROR */
  readonly adding: (
    of: DecisionsOf,
    decision: MergeDecision,
    asker: Asker,
  ) => Promise<AddedDecision>;
  /** All of them, as `writeDecisions` writes them. @throws QueueFull */
  readonly written: (merge: DecidedMerge, to: ShownTo, asker: Asker) => Promise<Uint8Array[]>;
  /** One of them; null where it does not hold. @throws QueueFull */
  readonly shown: (
    merge: DecidedMerge,
    decisionId: string,
    asker: Asker,
  ) => Promise<ShownDecision | null>;
};

/** They are looked at within 20 ms. */
const FEW = 250;
/** A body with as many. */
const SMALL_BODY_BYTES = 64 * 1024;

export function createDecisionWork(
  threads: WorkerThreads<typeof decisionTasks>,
  {
    databaseUrl,
    pool,
  }: { readonly databaseUrl: string; readonly pool: Pick<CommonQueryMethods, "any" | "one"> },
): DecisionWork {
  const areMany = (catalogueId: string) => hasMoreDecisions(pool, catalogueId, FEW);
  return {
    async read(body, asker) {
      if (body.length <= SMALL_BODY_BYTES) return submittedDecisions(body);
      return threads.run("readBody", body, asker);
    },
    async *replacing(of, wanted, asker) {
      const isMuch = wanted instanceof Uint8Array || (await areMany(of.catalogueId));
      yield* isMuch
        ? threads.stream("planReplacement", { ...of, databaseUrl, wanted }, asker)
        : replacing(pool, of, wanted);
    },
    async adding(of, decision, asker) {
      if (!(await areMany(of.catalogueId))) return adding(pool, of, decision);
      return threads.run("planAddition", { ...of, databaseUrl, decision }, asker);
    },
    async written({ id, latest, hidden }, to, asker) {
      const merge = { id, latest, hidden };
      if (!(await areMany(id))) return writeDecisions(await shownDecisions(pool, merge, to));
      return threads.run("showDecisions", { databaseUrl, merge, to }, asker);
    },
    async shown({ id, latest, hidden }, decisionId, asker) {
      const merge = { id, latest, hidden };
      if (await areMany(id)) {
        return threads.run("showDecision", { databaseUrl, merge, decisionId }, asker);
      }
      const decisions = await shownDecisions(pool, merge, { isGuest: false });
      return decisions.find((one) => one.id === decisionId) ?? null;
    },
  };
}

export type PairFinder = {
  /**
   * Sees to it that the pairs of a merge are kept as it was merged last: who comes first waits for as long as the
   * reading of its sources takes.
   * @throws QueueFull; Refusal MERGE_ERROR
   */
  readonly keepPairs: (
    merge: Pick<MergeRow, "id" | "config" | "sources">,
    asker: Asker,
  ) => Promise<void>;
};

export function createPairFinder(
  threads: WorkerThreads<typeof tasks>,
  {
    databaseUrl,
    pool,
  }: Pick<FindPairsTask, "databaseUrl"> & {
    readonly pool: Pick<CommonQueryMethods, "maybeOne">;
  },
): PairFinder {
  /** By the merge and what its pairs stand for. */
  const finding = new Map<string, Promise<void>>();
  return {
    async keepPairs(merge, asker) {
      const wanted = standsFor(merge);
      if ((await pairsStandFor(pool, merge.id)) === wanted) return;
      const key = `${merge.id} ${wanted}`;
      const found =
        finding.get(key) ??
        threads
          .run("findPairs", { databaseUrl, catalogueId: merge.id }, staying(asker))
          .finally(() => finding.delete(key));
      finding.set(key, found);
      await found;
    },
  };
}

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
