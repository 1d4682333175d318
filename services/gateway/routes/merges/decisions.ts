import { Refusal } from "#contracts/errors.ts";
import {
  makeDecisionCommand,
  setDecisionsCommand,
  withdrawDecisionCommand,
} from "#services/commands/merge/decisions/change-decisions.ts";
import { decidedGroup } from "#services/commands/merge/decisions/shown-decisions.ts";
import type { MakeHandler } from "../make-handler.ts";
import { decisionsOf, mergeOf } from "./read-merge.ts";

type Needs = "context" | "pool" | "decisionWork";

export const setDecisionsHandler: MakeHandler<"setDecisions", Needs> =
  (deps) =>
  async ({ params: { id }, body, command, reader, hidden, asker, isGuest }) => {
    const target = { catalogueId: id, reader, hidden };
    await setDecisionsCommand(deps, command, target, { body, asker });
    const merge = await mergeOf(deps.pool, id, reader);
    return { body: { decisions: await decisionsOf(deps, merge, { isGuest, asker }) } };
  };

export const makeDecisionHandler: MakeHandler<"makeDecision", Needs> =
  (deps) =>
  async ({ params: { id }, body, command, reader, hidden, asker }) => {
    const target = { catalogueId: id, reader, hidden };
    const decisionId = await makeDecisionCommand(deps, command, target, { decision: body, asker });
    const merge = await mergeOf(deps.pool, id, reader);
    const decision = await deps.decisionWork.shown(merge, decisionId, asker);
    if (decision === null) throw new Refusal("NOT_FOUND", "It was withdrawn meanwhile");
    return { body: { decision, group: await decidedGroup(deps.pool, merge, body) } };
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
