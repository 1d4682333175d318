import { CONVERTED_FROM } from "#contracts/seismic-event/converted-from.ts";

/** Members without an attribute are kept under `extra`; the writer puts them back. */

/** Members of an origin, by their names under `extra`. */
export const ORIGIN_FLAGS = { time_fixed: "timeFixed", epicenter_fixed: "epicenterFixed" } as const;
export const ORIGIN_IDS = { earth_model_id: "earthModelID", method_id: "methodID" } as const;

/** A magnitude's `methodID`, and the `agencyID` in its `creationInfo`. */
export const MAGNITUDE_METHOD = "magnitude_method_id";
export const MAGNITUDE_AGENCY = "magnitude_agency_id";

export const UNCERTAINTY = "origin_uncertainty";

/** Matches, in JSON, the names under `extra` of what the writer has places for. */
export const ANY_MEMBER = new RegExp(
  `"(?:${[
    ...Object.keys(ORIGIN_FLAGS),
    ...Object.keys(ORIGIN_IDS),
    MAGNITUDE_METHOD,
    MAGNITUDE_AGENCY,
    UNCERTAINTY,
    CONVERTED_FROM,
  ].join("|")})"`,
);
