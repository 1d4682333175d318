import { Refusal } from "#contracts/errors.ts";
import {
  makeDecisionCommand,
  setDecisionsCommand,
  withdrawDecisionCommand,
} from "#services/commands/merge/decisions.ts";
import type { MakeHandler } from "../make-handler.ts";
import { mergeOf } from "./read-merge.ts";
import { shownDecisions } from "./shown-decisions.ts";

export const setDecisionsHandler: MakeHandler<"setDecisions", "context" | "pool"> =
  ({ context, pool }) =>
  async ({ params: { id }, body, command, reader, hidden }) => {
    const target = { catalogueId: id, reader, hidden };
    await setDecisionsCommand(context, command, target, body.decisions);
    return { body: { decisions: await shownDecisions(pool, await mergeOf(pool, id, reader)) } };
  };

export const makeDecisionHandler: MakeHandler<"makeDecision", "context" | "pool"> =
  ({ context, pool }) =>
  async ({ params: { id }, body, command, reader, hidden }) => {
    const target = { catalogueId: id, reader, hidden };
    const decisionId = await makeDecisionCommand(context, command, target, body);
    const decisions = await shownDecisions(pool, await mergeOf(pool, id, reader));
    const decision = decisions.find((one) => one.id === decisionId);
    if (decision === undefined) throw new Refusal("NOT_FOUND", "It was withdrawn meanwhile");
    return { body: { decision } };
  };

export const withdrawDecisionHandler: MakeHandler<"withdrawDecision"> =
  ({ context }) =>
  async ({ params: { id, decisionId }, command, reader, hidden }) => {
    await withdrawDecisionCommand(
      context,
      command,
      { catalogueId: id, reader, hidden },
      decisionId,
    );
    return { body: { success: true } };
  };
