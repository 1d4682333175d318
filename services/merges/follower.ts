/** Merges that follow their sources: refreshed by themselves when they are behind. */

import type { Logger } from "pino";
import { ERRORS, Refusal } from "#contracts/errors.ts";
import { MINUTE_MS } from "#contracts/units.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import {
  type ClaimedFollow,
  claimFollows,
  endFollow,
  type FollowEnd,
  readMerge,
  runningFollows,
} from "#projections/read/merges/merge.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { createDueRuns, createRunningWorks, runsOfTheDead } from "#services/works.ts";
import { makerRights } from "../access.ts";
import type { CommandContext } from "../context.ts";
import { type RefreshDeps, type RefreshedMerge, refreshMergeCommand } from "./commands.ts";

export type FollowerDeps = RefreshDeps & {
  readonly context: { readonly lookups: Lookups };
  readonly presence: Pick<Presence, "alive">;
  readonly onOutcome: (outcome: FollowOutcome) => void;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** How often it is looked for merges that are behind; null for never but by `runDue`. */
  readonly pollMs: number | null;
};

/** How a refresh ends that a merge has by itself, for whoever counts them. */
type FollowOutcome = "changed" | "unchanged" | "failed" | "conflict" | "stopped";

/** Of the threads of merges one is left to people. */
const RUNS_AT_ONCE = 1;

export type Follower = ReturnType<typeof createFollower>;

/** Refreshes merges by themselves, beside other processes that do so on the same database. */
export function createFollower(deps: FollowerDeps) {
  const { context, presence, logger, pollMs } = deps;
  const { pool, worker } = context;
  const works = createRunningWorks();

  /** What a dead process refreshed may be refreshed again. */
  async function endRunsOfTheDead(): Promise<void> {
    const running = await runningFollows(pool);
    for (const run of await runsOfTheDead(running, worker, presence.alive, (one) =>
      works.has(one.runId),
    )) {
      logger.warn({ catalogueId: run.catalogueId }, "a refresh of a merge was cut off");
      await endFollow(pool, run, { outcome: "failed", error: "The refresh was cut off" });
    }
  }

  const due = createDueRuns<ClaimedFollow>({
    atOnce: RUNS_AT_ONCE,
    pollMs,
    async claim(limit) {
      await endRunsOfTheDead();
      return limit === 0 ? [] : claimFollows(pool, { worker, now: context.now() }, limit);
    },
    run: (claimed) =>
      works.track(claimed.runId, null, ({ signal }) => runFollow(deps, claimed, signal)),
    onTrouble: (error) =>
      logger.warn({ err: error }, "merges that are behind cannot be looked for"),
  });

  return {
    /** Runs all that are due, until none is. @returns how many runs there were */
    runDue: due.runDue,
    /** Waits briefly for its runs, then aborts them. */
    close: async (): Promise<void> => {
      await due.stop();
      await works.close();
    },
  };
}

/** Refreshes a merge that this process has claimed, by its maker's rights; how that ends is kept. */
async function runFollow(
  deps: FollowerDeps,
  claimed: ClaimedFollow,
  signal: AbortSignal,
): Promise<void> {
  const { context, onOutcome, logger } = deps;
  const { catalogueId } = claimed;
  try {
    const { added, updated, removed } = await refresh(deps, claimed, signal);
    await endFollow(context.pool, claimed, { outcome: "done" });
    onOutcome(added + updated + removed > 0 ? "changed" : "unchanged");
  } catch (error) {
    const { outcome, end } = explain(context, error, signal);
    logger.info({ err: error, catalogueId }, "a merge could not be refreshed by itself");
    await endFollow(context.pool, claimed, end);
    onOutcome(outcome);
  }
}

/** The maker of a merge may not refresh it any more, or nobody can; a sentence says why. */
class CannotFollow extends Error {}

async function refresh(
  deps: FollowerDeps,
  { catalogueId, maker, runId }: ClaimedFollow,
  signal: AbortSignal,
): Promise<RefreshedMerge> {
  const { pool, lookups } = deps.context;
  const reader = await makerRights(lookups, { maker, catalogueId });
  if (typeof reader === "string") throw new CannotFollow(reader);
  const merge = await readMerge(pool, catalogueId, SERVICE);
  if (merge !== null && merge.latest.length < merge.sources.length) {
    throw new CannotFollow("A source of the merge was deleted");
  }
  const asker = { caller: maker, network: "", isGuest: false, signal };
  const command = { id: runId, actor: maker };
  return refreshMergeCommand(deps, command, { catalogueId, reader }, asker);
}

/** After others were in its way it waits no longer than it has to. */
const BUSY_WAIT_MS = MINUTE_MS / 6;

function explain(
  { now }: Pick<CommandContext, "now">,
  error: unknown,
  signal: AbortSignal,
): { readonly outcome: FollowOutcome; readonly end: FollowEnd } {
  if (signal.aborted) return { outcome: "stopped", end: { outcome: "again", at: now() } };
  if (error instanceof Refusal && error.code === "CONFLICT") {
    const at = new Date(now().getTime() + BUSY_WAIT_MS);
    return { outcome: "conflict", end: { outcome: "again", at } };
  }
  const isKnown = error instanceof CannotFollow || error instanceof Refusal;
  const message = isKnown ? error.message : ERRORS.INTERNAL_ERROR.text;
  return { outcome: "failed", end: { outcome: "failed", error: message } };
}
