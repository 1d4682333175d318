import { room } from "../../http/room.ts";
import { makeDecisionHandler, setDecisionsHandler, withdrawDecisionHandler } from "./decisions.ts";
import { getMergeHandler } from "./read-merge.ts";
import { previewRefreshHandler, refreshMergeHandler } from "./refresh-merge.ts";
import { listReviewPairsHandler, reviewPairHandler } from "./review.ts";

export const handlersOfMerges = room({
  getMerge: getMergeHandler,
  previewRefresh: previewRefreshHandler,
  refreshMerge: refreshMergeHandler,
  setDecisions: setDecisionsHandler,
  makeDecision: makeDecisionHandler,
  withdrawDecision: withdrawDecisionHandler,
  listReviewPairs: listReviewPairsHandler,
  reviewPair: reviewPairHandler,
});
