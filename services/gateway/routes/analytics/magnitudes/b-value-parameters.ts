import { invalid } from "#contracts/errors.ts";
import { BIN_WIDTH } from "#contracts/http/analytics/analytics.ts";
import { type BValueQuery, MAGNITUDE_DEFAULTS } from "#contracts/http/analytics/magnitudes.ts";

type Chosen = Pick<
  BValueQuery,
  "mc" | "mcMethod" | "dc" | "complete" | "mmax" | "series" | "per" | "windows" | "bootstrap"
>;
type Always = "estimator" | "binWidth" | "minEvents" | "correction" | "seed";

/** The parameters of a b-value with their defaults, those alone that its estimator takes. */
export type BValueParameters = Chosen & {
  readonly [Name in Always]: NonNullable<BValueQuery[Name]>;
} & {
  /** Whether the bootstrap moves magnitudes by their uncertainties. */
  readonly magnitudeErrors?: true;
};

/** @throws Refusal VALIDATION_ERROR for parameters that do not go together */
export function bValueParameters(query: BValueQuery): BValueParameters {
  const {
    estimator = MAGNITUDE_DEFAULTS.estimator,
    binWidth = BIN_WIDTH.default,
    correction = MAGNITUDE_DEFAULTS.correction,
    minEvents = MAGNITUDE_DEFAULTS.minEvents,
    seed = MAGNITUDE_DEFAULTS.seed,
    mcMethod = MAGNITUDE_DEFAULTS.method,
    mc,
    dc,
    complete,
    mmax,
    series,
    per,
    windows,
    bootstrap,
    magnitudeErrors,
  } = query;
  const isWeichert = estimator === "weichert";
  const isBinned = ["tinti-mulargia", "utsu"].includes(estimator) && binWidth > 0;
  refuse("dc", dc !== undefined && estimator !== "b-positive", "is for estimator=b-positive");
  refuse("complete", complete !== undefined && !isWeichert, "is for estimator=weichert");
  refuse("complete", complete === undefined && isWeichert, "estimator=weichert needs it");
  refuse("mmax", mmax !== undefined && !isWeichert, "is for estimator=weichert");
  refuse("mc", mc !== undefined && isWeichert, "estimator=weichert takes complete instead");
  refuse("mc", mc !== undefined && query.mcMethod !== undefined, "and mcMethod exclude each other");
  refuse("mcMethod", query.mcMethod !== undefined && isWeichert, "is not for estimator=weichert");
  refuse("bootstrap", bootstrap !== undefined && !isBinned, "needs binned magnitudes");
  refuse(
    "magnitudeErrors",
    magnitudeErrors !== undefined && bootstrap === undefined,
    "is for bootstrap",
  );
  refuse(
    "binWidth",
    binWidth === 0 && (isWeichert || estimator === "b-positive"),
    `estimator=${estimator} needs bins`,
  );
  refuse("per", per !== undefined && series !== "time", "is for series=time");
  refuse("windows", windows !== undefined && per !== "events", "is for per=events");
  return {
    estimator,
    binWidth,
    minEvents,
    correction,
    ...(!isWeichert && (mc === undefined ? { mcMethod } : { mc })),
    ...(estimator === "b-positive" && { dc: dc ?? binWidth }),
    ...(complete && { complete }),
    ...(mmax !== undefined && { mmax }),
    ...(series && { series }),
    ...(series === "time" && { per: per ?? "years" }),
    ...(windows !== undefined && { windows }),
    ...(bootstrap !== undefined && { bootstrap }),
    ...(magnitudeErrors === "true" && { magnitudeErrors: true }),
    seed,
  };
}

function refuse(field: string, isWrong: boolean, message: string): void {
  if (isWrong) throw invalid(field, message);
}
