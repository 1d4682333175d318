import { type DecayBin, decayBins } from "./decay-bins.ts";
import type { OmoriWindow } from "./omori-integrals.ts";
import { omoriUtsu } from "./omori-utsu.ts";

export type FittedDecay = {
  readonly fit: ReturnType<typeof omoriUtsu>;
  readonly bins: readonly DecayBin[];
};

/** The law of aftershocks within a window, and their decay beside it. @param days since the main event */
export function fitDecay(days: Float64Array, window: OmoriWindow): FittedDecay {
  const fit = omoriUtsu(days, window);
  return { fit, bins: decayBins(days, window, fit.estimate) };
}
