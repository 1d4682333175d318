import type { CommonQueryMethods } from "slonik";
import { invalid, Refusal } from "#contracts/errors.ts";
import { accessGiven } from "#contracts/http/catalogues.ts";
import type {
  MergeBody,
  MergedCatalogue,
  MergeResult,
  RefreshPreview,
  ReviewChange,
  ReviewPair,
} from "#contracts/http/merges.ts";
import type { ShownDecision } from "#contracts/merges/decisions.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import {
  followState,
  forgetFailures,
  type MergeRow,
  readMerge,
} from "#projections/read/merges/merge.ts";
import {
  changePair,
  findPair,
  listPairs,
  type PairChange,
  type PairedEvent,
  type PairId,
  type PairRow,
  type PairsOf,
  pairedEvents,
} from "#projections/read/merges/review.ts";
import { type Reader, shownConfig, shownSources } from "#projections/read/rights.ts";
import { whyMakerMayNot } from "#services/access.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { following, type Handlers, JsonList } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { eventsUnchanged } from "../headers.ts";
import { answerOrStart } from "../works.ts";
import {
  makeDecisionCommand,
  mergeCataloguesCommand,
  type RefreshedMerge,
  refreshMergeCommand,
  setDecisionsCommand,
  shownDecision,
  withdrawDecisionCommand,
  writtenDecisions,
} from "./commands.ts";
import { decidedGroup } from "./decisions.ts";

export function handlersOfMerges(deps: HandlerDeps) {
  const { threads, runner, context } = deps;
  return {
    getMerge: async ({ params, reader, isGuest, asker }) => {
      const merge = await mergeOf(deps.pool, params.id, reader);
      const decisions = await decisionsOf(deps, merge, { isGuest, asker });
      const isFollowing = merge.config.follow === true;
      return {
        body: {
          ...shown(merge),
          ...(isFollowing && { follow: await followState(deps.pool, merge.id) }),
          decisions,
        },
      };
    },

    previewRefresh: async (call) => {
      const { params, body, reader } = call;
      const { config, decisions: tried = [] } = body;
      const wanted = { catalogueId: params.id, config, tried, reader };
      return answerOrStart(runner, call, {
        job: { kind: "preview", unit: "events" },
        endsWithCaller: true,
        work: async (run): Promise<{ body: RefreshPreview }> => ({
          body: await threads.merges.run("previewRefresh", wanted, run),
        }),
      });
    },

    /** Runs to its end, whether the client waits or not. */
    refreshMerge: async (call) => {
      const { params, body, reader, ifMatch, command } = call;
      const wanted = {
        catalogueId: params.id,
        config: body.config,
        reader,
        precondition: eventsUnchanged(ifMatch),
      };
      return answerOrStart(deps.runner, call, {
        job: { kind: "refresh", unit: "events" },
        work: async (run): Promise<{ body: RefreshedMerge }> => {
          const body = await refreshMergeCommand(deps, command, wanted, run);
          await forgetFailures(deps.context.pool, params.id);
          return { body };
        },
      });
    },

    setDecisions: async ({ params: { id }, body, command, reader, hidden, asker, isGuest }) => {
      const target = { catalogueId: id, reader, hidden };
      await setDecisionsCommand(deps, command, target, { body, asker });
      const merge = await mergeOf(deps.pool, id, reader);
      return { body: { decisions: await decisionsOf(deps, merge, { isGuest, asker }) } };
    },

    makeDecision: async ({ params: { id }, body, command, reader, hidden, asker }) => {
      const target = { catalogueId: id, reader, hidden };
      const decisionId = await makeDecisionCommand(deps, command, target, {
        decision: body,
        asker,
      });
      const merge = await mergeOf(deps.pool, id, reader);
      const decision = await shownDecision(deps, merge, decisionId, asker);
      if (decision === null) throw new Refusal("NOT_FOUND", "It was withdrawn meanwhile");
      return { body: { decision, group: await decidedGroup(deps.pool, merge, body) } };
    },

    withdrawDecision: async ({ params: { id, decisionId }, command, reader, hidden }) => {
      await withdrawDecisionCommand(
        context,
        command,
        { catalogueId: id, reader, hidden },
        decisionId,
      );
      return { body: { success: true } };
    },

    listReviewPairs: async ({ params, query: { state, ...request }, reader, asker }) => {
      const { pool } = deps;
      const merge = await mergeOf(pool, params.id, reader);
      await deps.keepPairs(merge, asker);
      const { rows, nextCursor } = await listPairs(pool, pairsOf(deps, merge), state, request);
      return { body: { pairs: await shownPairs(pool, merge, rows), ...following(nextCursor) } };
    },

    reviewPair: async ({ params, body, actor, reader, asker }) => {
      const { pool } = deps;
      const merge = await mergeOf(pool, params.id, reader);
      await deps.keepPairs(merge, asker);
      const of = pairsOf(deps, merge);
      const pair = pairOfText(params.pair);
      if ((await findPair(pool, of, pair)) === null) throw unknownPair();
      const change = await changeOf(deps, merge.id, actor.userId, body);
      if (!(await changePair(pool, of, pair, { actor: actor.userId, change }))) {
        throw new Refusal("CONFLICT", "Somebody else looks at this pair");
      }
      const changed = await findPair(pool, of, pair);
      const [shown] = await shownPairs(pool, merge, changed === null ? [] : [changed]);
      if (shown === undefined) throw unknownPair();
      return { body: { pair: shown } };
    },

    /** The merge runs to its end, whether the client waits or not. */
    mergeCatalogues: async (call) => {
      const { name, editing } = call.body;
      const wanted = {
        name: catalogueName(name),
        ...requestOf(call.body),
        access: accessGiven(call.body),
        ...(editing && { editing }),
        reader: call.reader,
      };
      return answerOrStart(deps.runner, call, {
        job: { kind: "merge", unit: "events" },
        work: async (run): Promise<{ body: MergeResult }> => {
          const merged = await mergeCataloguesCommand(deps, call.command, wanted, run);
          return { body: { success: true, ...merged } };
        },
      });
    },

    previewMerge: async ({ body, reader, asker }) => ({
      body: await threads.merges.run("previewMerged", { ...requestOf(body), reader }, asker),
    }),

    /** It ends when the client who waits for it leaves. */
    evaluateMerge: async (call) => {
      const { truth, timeThresholds, distanceThresholds } = call.body;
      const grid = { truth, timeThresholds, distanceThresholds };
      const task = { ...requestOf(call.body), reader: call.reader, grid };
      const total = timeThresholds.length * distanceThresholds.length;
      return answerOrStart(runner, call, {
        job: { kind: "evaluate", unit: "pairs of thresholds" },
        endsWithCaller: true,
        work: async ({ onProgress, ...asker }) => ({
          body: await threads.merges.run("evaluateMerged", task, asker, (done) =>
            onProgress({ done, total }),
          ),
        }),
      });
    },
  } satisfies Partial<Handlers>;
}

const unknownPair = () => new Refusal("NOT_FOUND", "There is no such pair to decide on");

function pairsOf({ now }: HandlerDeps, { id, hidden }: MergeRow): PairsOf {
  return { catalogueId: id, hidden, now: now() };
}

/**
 * Whoever claims a pair takes it up again; what is put aside is nobody's.
 * @throws Refusal VALIDATION_ERROR for somebody who may not decide
 */
async function changeOf(
  { lookups }: HandlerDeps,
  catalogueId: string,
  actor: string,
  { claim, later, note }: ReviewChange,
): Promise<PairChange> {
  const said = { ...(later !== undefined && { later }), ...(note !== undefined && { note }) };
  if (claim === undefined) return later === true ? { ...said, claimedBy: null } : said;
  if (claim === false) return { ...said, claimedBy: null };
  if (claim === true) return { later: false, ...said, claimedBy: actor };
  if ((await whyMakerMayNot(lookups, { maker: claim, catalogueId })) !== null) {
    throw invalid("claim", "names nobody who may change this catalogue");
  }
  return { ...said, claimedBy: claim };
}

/** Pairs with both events as the versions have them that were merged; without those of which a source is gone. */
async function shownPairs(
  pool: Pick<CommonQueryMethods, "any">,
  merge: MergeRow,
  rows: readonly PairRow[],
): Promise<ReviewPair[]> {
  const events = await eventsOf(pool, merge, rows);
  return rows.flatMap((row) => {
    const one = events.get(row.one);
    const other = events.get(row.other);
    if (one === undefined || other === undefined) return [];
    const { timeDifference, distance, magnitudeDifference, claimedBy, claimedAt, later, note } =
      row;
    const isClaimed = claimedBy !== null && claimedAt !== null;
    return [
      {
        id: `${row.one}.${row.other}`,
        first: row.isTurned ? other : one,
        second: row.isTurned ? one : other,
        time_difference: timeDifference,
        distance,
        magnitude_difference: magnitudeDifference,
        claim: isClaimed ? { user: claimedBy, at: claimedAt } : null,
        later,
        note,
      },
    ];
  });
}

function pairOfText(text: string): PairId {
  const [one = "", other = ""] = text.toLowerCase().split(".");
  return { one, other };
}

type SourceEvent = PairedEvent & { readonly catalogue_id: string; readonly source: string };

async function eventsOf(
  pool: Pick<CommonQueryMethods, "any">,
  { sources, latest }: MergeRow,
  rows: readonly PairRow[],
): Promise<Map<string, SourceEvent>> {
  const named = Map.groupBy(
    rows.flatMap(({ one, other, sourceOfOne, sourceOfOther }) => [
      { id: one, source: sourceOfOne },
      { id: other, source: sourceOfOther },
    ]),
    ({ source }) => source,
  );
  const events = new Map<string, SourceEvent>();
  for (const { id, version, source } of sources) {
    const key = latest.find((one) => one.id === id)?.key;
    const ids = (named.get(id) ?? []).map((one) => one.id);
    if (key === undefined || ids.length === 0) continue;
    for (const [eventId, event] of await pairedEvents(pool, { key, version }, ids)) {
      events.set(eventId, { ...event, catalogue_id: id, source });
    }
  }
  return events;
}

/** The decisions of a merge, as JSON: there may be 100,000. */
async function decisionsOf(
  deps: HandlerDeps,
  merge: MergeRow,
  { isGuest, asker }: { readonly isGuest: boolean; readonly asker: Asker },
): Promise<JsonList<ShownDecision>> {
  const pieces = await writtenDecisions(deps, merge, { isGuest }, asker);
  return new JsonList(
    pieces.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
}

/** @throws Refusal NOT_FOUND */
async function mergeOf(
  pool: HandlerDeps["pool"],
  catalogueId: string,
  reader: Reader,
): Promise<MergeRow> {
  const merge = await readMerge(pool, catalogueId, reader);
  if (merge === null) throw new Refusal("NOT_FOUND", "This catalogue is not a merged one");
  return merge;
}

function shown({
  config,
  sources,
  latest,
  hidden,
}: MergeRow): Pick<MergedCatalogue, "config" | "sources" | "behind"> {
  const named = shownSources(sources, hidden);
  const labels = named.map(({ source }) => source);
  const now = new Map(latest.map(({ id, version }) => [id, version]));
  const versions = named.map(({ id, version }) => ({
    catalogue_id: id,
    version,
    latest: (id === null ? undefined : now.get(id)) ?? null,
  }));
  return {
    config: hidden === null ? config : shownConfig(config, labels),
    sources: versions,
    behind: versions.some(({ version, latest: last }) => last !== null && last > version),
  };
}

function requestOf({
  sourceCatalogues: sources,
  config: { decisions = [], ...config },
}: Pick<MergeBody, "sourceCatalogues" | "config">) {
  return { sources, config, decisions };
}
