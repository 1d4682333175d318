import { room } from "../../http/room.ts";
import { makeDecisionHandler, setDecisionsHandler, withdrawDecisionHandler } from "./decisions.ts";
import { getMergeHandler } from "./read-merge.ts";

export const handlersOfMerges = room({
  getMerge: getMergeHandler,
  setDecisions: setDecisionsHandler,
  makeDecision: makeDecisionHandler,
  withdrawDecision: withdrawDecisionHandler,
});
