import type { Operations } from "#contracts/http/operations.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import type { Call } from "../../http/handler.ts";
import { acceptedAnswer } from "../../http/prefer.ts";
import type { HandlerDeps } from "../make-handler.ts";
import { type AnalyseDeps, type AnalysisCall, type AnalysisPlan, analyse } from "./analyse.ts";

type BackgroundDeps = AnalyseDeps & Pick<HandlerDeps, "runner">;
type BackgroundCall = AnalysisCall &
  Pick<Call<Operations["getCompleteness"]>, "actor" | "prefersAsync">;

/**
 * Answers an analysis that can take long: as an operation, where the caller prefers that and is known.
 * @throws like `analyse`
 */
export async function analyseLong<E, B, S>(
  deps: BackgroundDeps,
  call: BackgroundCall,
  plan: AnalysisPlan<E, B, S>,
) {
  const { actor, prefersAsync, params, isGuest } = call;
  if (actor === null || !prefersAsync) return analyse(deps, call, plan);
  const { id, version } = await resolveVersion(deps.reads.prepared, {
    catalogueId: params.id,
    asOf: call.query.asOf,
    isGuest,
  });
  const job = {
    kind: "analysis",
    owner: actor.userId,
    unit: "events",
    reads: [{ id, version }],
  } as const;
  // The turn is that of the request, which is over by then.
  const turn = async () => () => undefined;
  return acceptedAnswer(
    await deps.runner.start(job, async ({ signal }) => {
      const { body } = await analyse(deps, { ...call, turn }, plan);
      signal.throwIfAborted();
      return body;
    }),
  );
}
