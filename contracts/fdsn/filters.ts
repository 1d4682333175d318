import type { EventFilters } from "../query/filter-parameters.ts";
import { ATTRIBUTES } from "../seismic-event/attributes.ts";
import { compareTimes } from "../seismic-event/origin-time.ts";
import { boxOf, circleOf } from "./area.ts";
import type { RawParameters } from "./raw-parameters.ts";
import { magnitudeTypesOf } from "./type-lists.ts";
import { numberOf, requireOrder, timeOf } from "./values.ts";

/** The attributes' ranges: a bound at their ends leaves out no value. */
const { depth: DEPTH, magnitude: MAGNITUDE } = ATTRIBUTES;

/**
 * Time, box, circle, depth, magnitude and its type, as `/filtered` has them. A bound that leaves out
 * nothing valid is absent: it does not drop events whose depth or magnitude is unknown.
 * @throws ParameterFault
 */
export function filtersOf(parameters: RawParameters): EventFilters {
  const startTime = timeOf(parameters, "starttime");
  const endTime = timeOf(parameters, "endtime");
  requireOrder(["starttime", startTime], ["endtime", endTime], compareTimes);
  const minDepth = numberOf(parameters, "mindepth");
  const maxDepth = numberOf(parameters, "maxdepth");
  requireOrder(["mindepth", minDepth], ["maxdepth", maxDepth]);
  const minMagnitude = numberOf(parameters, "minmagnitude");
  const maxMagnitude = numberOf(parameters, "maxmagnitude");
  requireOrder(["minmagnitude", minMagnitude], ["maxmagnitude", maxMagnitude]);
  const magnitudeTypes = magnitudeTypesOf(parameters);
  return {
    ...(startTime !== null && { startTime }),
    ...(endTime !== null && { endTime }),
    ...boxOf(parameters),
    ...circleOf(parameters),
    ...(minDepth !== null && minDepth > DEPTH.min && { minDepth }),
    ...(maxDepth !== null && maxDepth < DEPTH.max && { maxDepth }),
    ...(minMagnitude !== null && minMagnitude > MAGNITUDE.min && { minMagnitude }),
    ...(maxMagnitude !== null && maxMagnitude < MAGNITUDE.max && { maxMagnitude }),
    ...(magnitudeTypes !== null && { magnitudeType: magnitudeTypes.values }),
  };
}
