/** Entry point of the threads that look at many decisions of merges: 100,000 take seconds. */

import type { MergeDecision } from "#contracts/merges/decisions.ts";
import { openThreadSession } from "#infra/postgres/connection.ts";
import { type Statements, statementsOn } from "#infra/postgres/statements.ts";
import { workerStream, workerTask } from "#infra/threads/task.ts";
import {
  adding,
  type DecidedMerge,
  type DecisionsOf,
  replacing,
  type ShownTo,
  shownDecisions,
  submittedDecisions,
  writeDecisions,
} from "./decisions.ts";

/** The decisions of a body, as JSON. @throws Refusal INVALID_JSON, VALIDATION_ERROR */
export const readBody = workerTask(
  (body: Uint8Array) => new TextEncoder().encode(JSON.stringify(submittedDecisions(body))),
  { moved: ({ buffer }) => [buffer] },
);

type ReplaceTask = DecisionsOf & { readonly wanted: Uint8Array | readonly MergeDecision[] };

export const planReplacement = workerStream(async function* ({ wanted, ...of }: ReplaceTask) {
  await using session = await openSession();
  const decisions =
    wanted instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(wanted)) : wanted;
  yield* replacing(session.statements, of, decisions);
});

export const planAddition = workerTask(
  async ({ decision, ...of }: DecisionsOf & { readonly decision: MergeDecision }) => {
    await using session = await openSession();
    return await adding(session.statements, of, decision);
  },
);

type OfDecided = { readonly merge: DecidedMerge };

export const showDecisions = workerTask(
  async ({ merge, to }: OfDecided & { readonly to: ShownTo }) => {
    await using session = await openSession();
    return writeDecisions(await shownDecisions(session.statements, merge, to));
  },
  { moved: (pieces) => pieces.map(({ buffer }) => buffer) },
);

export const showDecision = workerTask(
  async ({ merge, decisionId }: OfDecided & { readonly decisionId: string }) => {
    await using session = await openSession();
    const decisions = await shownDecisions(session.statements, merge, { isGuest: false });
    return decisions.find(({ id }) => id === decisionId) ?? null;
  },
);

async function openSession(): Promise<AsyncDisposable & { readonly statements: Statements }> {
  const session = await openThreadSession("decisions");
  return { ...session, statements: statementsOn(session.client) };
}
