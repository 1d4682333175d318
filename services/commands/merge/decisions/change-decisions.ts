import { createHash } from "node:crypto";
import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { Refusal } from "#contracts/errors.ts";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import { type Asker, staying } from "#infra/kernel/fair-queue.ts";
import { whileLocked } from "#infra/postgres/statements.ts";
import { appliedDecisions, findDecision } from "#projections/read/merges/decisions.ts";
import { decisionEvents, type Merged, merged } from "#services/domain/merges/decisions.ts";
import { appendDecisions } from "../../catalogues/append-decisions.ts";
import { loadCatalogue } from "../../catalogues/catalogue-decision.ts";
import { type Command, type CommandContext, untilCurrent } from "../../context.ts";
import type { DecisionWork } from "./decision-work.ts";
import { names, type OfMerge } from "./plan-decisions.ts";

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
