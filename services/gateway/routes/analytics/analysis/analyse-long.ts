import type { Operations } from "#contracts/http/table/operations.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { answerOrStart } from "../../../http/answer-or-start.ts";
import type { Call } from "../../../http/handler.ts";
import type { HandlerDeps } from "../../make-handler.ts";
import { type AnalyseDeps, type AnalysisCall, type AnalysisPlan, analyse } from "./analyse.ts";

type BackgroundDeps = AnalyseDeps & Pick<HandlerDeps, "runner">;
type BackgroundCall = AnalysisCall &
  Pick<Call<Operations["getCompleteness"]>, "actor" | "prefersAsync">;

/**
 * Answers an analysis that can take long: by a job, where the caller prefers that and is known.
 * @throws like `analyse`
 */
export async function analyseLong<E, B, S>(
  deps: BackgroundDeps,
  call: BackgroundCall,
  plan: AnalysisPlan<E, B, S>,
) {
  const { params, query, reader } = call;
  const request = { catalogueId: params.id, asOf: query.asOf, reader };
  const { id, version } = await resolveVersion(deps.reads.prepared, request);
  return answerOrStart(deps.runner, call, {
    job: { kind: "analysis", unit: "events", reads: [{ id, version }] },
    endsWithCaller: true,
    work: (run) => analyse(deps, { ...call, asker: run }, plan),
  });
}
