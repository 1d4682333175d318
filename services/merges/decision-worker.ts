/** Entry point of the threads that look at many decisions of merges: 100,000 take seconds. */

import type { MergeDecision } from "#contracts/merges/decisions.ts";
import { openWatchedSession } from "#infra/postgres/connection.ts";
import { type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import {
  type AddedDecision,
  adding,
  type DecidedMerge,
  type DecisionsOf,
  replacing,
  type ShownTo,
  shownDecisions,
  submittedDecisions,
  writeDecisions,
} from "./decisions.ts";

type OfDatabase = { readonly databaseUrl: string };

/** Decisions that were read from a body, as JSON. */
export type ReadDecisions = Uint8Array<ArrayBuffer>;

/** @throws Refusal INVALID_JSON, VALIDATION_ERROR */
export const readBody = workerTask(
  (body: Uint8Array): ReadDecisions =>
    new TextEncoder().encode(JSON.stringify(submittedDecisions(body))),
  { moved: ({ buffer }) => [buffer] },
);

export type ReplaceTask = OfDatabase &
  DecisionsOf & { readonly wanted: ReadDecisions | readonly MergeDecision[] };

export const planReplacement = workerStream(async function* ({
  databaseUrl,
  wanted,
  ...of
}: ReplaceTask) {
  await using session = await openSession(databaseUrl);
  const decisions =
    wanted instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(wanted)) : wanted;
  yield* replacing(session.statements, of, decisions);
});

export type AddTask = OfDatabase & DecisionsOf & { readonly decision: MergeDecision };

export const planAddition = workerTask(
  async ({ databaseUrl, decision, ...of }: AddTask): Promise<AddedDecision> => {
    await using session = await openSession(databaseUrl);
    return await adding(session.statements, of, decision);
  },
);

type OfDecided = OfDatabase & { readonly merge: DecidedMerge };

export const showDecisions = workerTask(
  async ({ databaseUrl, merge, to }: OfDecided & { readonly to: ShownTo }) => {
    await using session = await openSession(databaseUrl);
    return writeDecisions(await shownDecisions(session.statements, merge, to));
  },
  { moved: (pieces) => pieces.map(({ buffer }) => buffer) },
);

export const showDecision = workerTask(
  async ({ databaseUrl, merge, decisionId }: OfDecided & { readonly decisionId: string }) => {
    await using session = await openSession(databaseUrl);
    const decisions = await shownDecisions(session.statements, merge, { isGuest: false });
    return decisions.find(({ id }) => id === decisionId) ?? null;
  },
);

async function openSession(
  databaseUrl: string,
): Promise<AsyncDisposable & { readonly statements: Statements }> {
  const session = await openWatchedSession(databaseUrl, "decisions");
  return { ...session, statements: statementsOn(session.client) };
}
