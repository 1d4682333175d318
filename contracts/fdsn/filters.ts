import type { EventFilters } from "../query/filter-parameters.ts";
import { ATTRIBUTES } from "../seismic-event/attributes.ts";
import { compareTimes } from "../seismic-event/origin-time.ts";
import { boxOf, circleOf } from "./area.ts";
import type { GivenParameters } from "./raw-parameters.ts";
import { magnitudeTypesOf } from "./type-lists.ts";
import { numberOf, requireOrder, timeOf } from "./values.ts";

/** The attributes' ranges: a bound at their ends leaves out no value. */
const { depth: DEPTH, magnitude: MAGNITUDE } = ATTRIBUTES;

const difference = (a: number, b: number) => a - b;

/**
 * Time, box, circle, depth, magnitude and its type, as `/filtered` has them. A bound that leaves out
 * nothing valid is absent: it does not drop events whose depth or magnitude is unknown.
 * @throws ParameterFault
 */
export function filtersOf(given: GivenParameters): EventFilters {
  const startTime = timeOf(given, "starttime");
  const endTime = timeOf(given, "endtime");
  requireOrder(["starttime", startTime], ["endtime", endTime], compareTimes);
  const minDepth = numberOf(given, "mindepth");
  const maxDepth = numberOf(given, "maxdepth");
  requireOrder(["mindepth", minDepth], ["maxdepth", maxDepth], difference);
  const minMagnitude = numberOf(given, "minmagnitude");
  const maxMagnitude = numberOf(given, "maxmagnitude");
  requireOrder(["minmagnitude", minMagnitude], ["maxmagnitude", maxMagnitude], difference);
  const magnitudeTypes = magnitudeTypesOf(given);
  return {
    ...(startTime !== null && { startTime }),
    ...(endTime !== null && { endTime }),
    ...boxOf(given),
    ...circleOf(given),
    ...(minDepth !== null && minDepth > DEPTH.min && { minDepth }),
    ...(maxDepth !== null && maxDepth < DEPTH.max && { maxDepth }),
    ...(minMagnitude !== null && minMagnitude > MAGNITUDE.min && { minMagnitude }),
    ...(maxMagnitude !== null && maxMagnitude < MAGNITUDE.max && { maxMagnitude }),
    ...(magnitudeTypes !== null && { magnitudeType: magnitudeTypes.values }),
  };
}
