import type { CommonQueryMethods } from "slonik";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import type { MergeDecision, ShownDecision } from "#contracts/merge/merge-decision.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { hasMoreDecisions } from "#projections/read/merges/decisions.ts";
import type * as tasks from "./decision-worker.ts";
import type { ReadDecisions } from "./decision-worker.ts";
import { type AddedDecision, adding, type DecisionsOf, replacing } from "./plan-decisions.ts";
import {
  type DecidedMerge,
  type ShownTo,
  shownDecisions,
  writeDecisions,
} from "./shown-decisions.ts";
import { submittedDecisions } from "./submitted-decisions.ts";

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
  threads: WorkerThreads<typeof tasks>,
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
