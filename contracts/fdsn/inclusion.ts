import type { RawParameters } from "./raw-parameters.ts";
import { booleanOf } from "./values.ts";

/** What of the events' bulletins an answer in QuakeML is to have beside what the rows show. */
export type Inclusion = {
  readonly allOrigins: boolean;
  /** With the origins that they name. */
  readonly allMagnitudes: boolean;
  /** Of the origins in the answer, with their picks. */
  readonly arrivals: boolean;
  /** All, used or not. */
  readonly picks: boolean;
  readonly amplitudes: boolean;
  /** And their contributions, with amplitudes and picks. */
  readonly stationMagnitudes: boolean;
  /** Of every level. */
  readonly comments: boolean;
  /** The whole bulletin, with what QuakeML has no place for. */
  readonly everything: boolean;
};

/** What the rows show, and no more. */
export const NO_INCLUSION: Inclusion = {
  allOrigins: false,
  allMagnitudes: false,
  arrivals: false,
  picks: false,
  amplitudes: false,
  stationMagnitudes: false,
  comments: false,
  everything: false,
};

const NAMES = [
  "includeallorigins",
  "includeallmagnitudes",
  "includearrivals",
  "includepicks",
  "includeamplitudes",
  "includestationmagnitudes",
  "includecomments",
  "includeall",
] as const;

/**
 * What the parameters ask for; null where none is true. An arrival cannot stand without its pick, so
 * `includepicks=false` is without both.
 * @throws ParameterFault
 */
export function inclusionOf(parameters: RawParameters): Inclusion | null {
  const wanted = new Set(NAMES.filter((name) => booleanOf(parameters, name)));
  if (wanted.size === 0) return null;
  const withoutPicks = parameters.has("includepicks") && !wanted.has("includepicks");
  return {
    allOrigins: wanted.has("includeallorigins"),
    allMagnitudes: wanted.has("includeallmagnitudes"),
    arrivals: wanted.has("includearrivals") && !withoutPicks,
    picks: wanted.has("includepicks"),
    amplitudes: wanted.has("includeamplitudes"),
    stationMagnitudes: wanted.has("includestationmagnitudes"),
    comments: wanted.has("includecomments"),
    everything: wanted.has("includeall"),
  };
}
