import { createHash } from "node:crypto";
import { Refusal } from "#contracts/errors.ts";
import type { MadeDecision, MergeDecision } from "#contracts/merge/merge-decision.ts";
import { deriveEventId } from "#infra/event-log/domain-events.ts";
import { whileLocked } from "#infra/postgres/while-locked.ts";
import {
  appliedDecisions,
  type DecisionRow,
  readDecisions,
} from "#projections/queries/merges/decision-queries.ts";
import type { Reader } from "#projections/queries/rights/reader-rights.ts";
import {
  type DecisionChange,
  type Merged,
  merged,
  replaceDecisions,
  requireFew,
  sayingOf,
} from "#services/domain/catalogue/decisions.ts";
import { appendDecisions } from "../catalogues/append-decisions.ts";
import { loadCatalogue } from "../catalogues/catalogue-decision.ts";
import type { Command, CommandContext } from "../context.ts";
import { requireDecidable } from "./require-decidable.ts";

export type OfMerge = {
  readonly catalogueId: string;
  /** Whose sources they are: others do not exist. */
  readonly reader: Reader;
  /** Ids of the sources that are hidden from him; null for none. */
  readonly hidden: readonly string[] | null;
};

/**
 * Replaces the decisions of a merge; resolves when they are visible. Those about events of hidden sources stay: who
 * asks cannot name them.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR
 */
export function setDecisionsCommand(
  context: CommandContext,
  command: Command,
  { catalogueId, reader, hidden }: OfMerge,
  wanted: readonly MergeDecision[],
): Promise<void> {
  return whileDeciding(context, catalogueId, async ({ catalogue, present }) => {
    const shown = present.filter((decision) => !names(decision, hidden));
    const others = present.filter((decision) => names(decision, hidden));
    const change = replaceDecisions(shown.map(spoken), wanted, (index) =>
      deriveEventId(command.id, "decision", index),
    );
    const holding = [...wanted, ...others.map(spoken)];
    await requireSound(context, { catalogue, reader }, change.made, holding);
    await record(context, command, catalogueId, change);
  });
}

/**
 * Adds a decision and returns its id once it is visible; that of one which says the same, where there is one.
 * @throws Refusal NOT_FOUND, VALIDATION_ERROR
 */
export function makeDecisionCommand(
  context: CommandContext,
  command: Command,
  { catalogueId, reader }: OfMerge,
  decision: MergeDecision,
): Promise<string> {
  return whileDeciding(context, catalogueId, async ({ catalogue, present }) => {
    const before = present.map(spoken);
    const known = before.find((one) => sayingOf(one) === sayingOf(decision));
    if (known !== undefined) return known.id;
    const id = deriveEventId(command.id, "decision", 0);
    await requireSound(context, { catalogue, reader }, [decision], [decision, ...before]);
    await record(context, command, catalogueId, { withdrawn: [], made: [{ id, ...decision }] });
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
  return whileDeciding(context, catalogueId, async ({ present }) => {
    const known = present.find(({ id }) => id === decisionId);
    if (known === undefined && command.retried) return;
    if (known === undefined || names(known, hidden)) {
      throw new Refusal("NOT_FOUND", "Decision not found");
    }
    await record(context, command, catalogueId, { withdrawn: [decisionId], made: [] });
  });
}

type Deciding = { readonly catalogue: Merged; readonly present: readonly DecisionRow[] };

/** Runs `work` on the decisions that hold, while nobody else changes those of the merge. */
function whileDeciding<T>(
  context: CommandContext,
  catalogueId: string,
  work: (deciding: Deciding) => Promise<T>,
): Promise<T> {
  return whileLocked(context.pool, lockOf(catalogueId), async () => {
    const { state } = await loadCatalogue(context, catalogueId);
    const catalogue = merged(state);
    if ((await appliedDecisions(context.pool, catalogueId)) !== catalogue.decided) {
      await context.untilVisible("catalogues", await context.log.head());
    }
    return work({ catalogue, present: await readDecisions(context.pool, catalogueId) });
  });
}

/** An advisory lock for each merge. */
function lockOf(catalogueId: string): string {
  const hash = createHash("sha256").update(`decisions of ${catalogueId}`).digest();
  return hash.readBigInt64BE().toString();
}

/** @param made those that are new, of `holding`, which hold then */
async function requireSound(
  context: Pick<CommandContext, "pool">,
  { catalogue, reader }: { readonly catalogue: Merged; readonly reader: Reader },
  made: readonly MergeDecision[],
  holding: readonly MergeDecision[],
): Promise<void> {
  requireFew(holding.length);
  await requireDecidable(context.pool, { sources: catalogue.sources, reader }, made, holding);
}

async function record(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  change: DecisionChange,
): Promise<void> {
  const position = await appendDecisions(context, command, catalogueId, change);
  await context.untilVisible("catalogues", position);
}

function names({ events }: DecisionRow, hidden: OfMerge["hidden"]): boolean {
  return hidden !== null && events.some(({ catalogue_id }) => hidden.includes(catalogue_id));
}

function spoken({ id, type, events, note }: DecisionRow): MadeDecision {
  return { id, type, events, ...(note !== null && { note }) };
}
