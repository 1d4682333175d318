import { CONVERTED_FROM } from "#contracts/seismic-event/converted-from.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

const OF_CONVERSION = ["magnitude", "magnitude_type", "magnitude_uncertainty"] as const;

/**
 * A changed row whose `extra` tells of the conversion of its magnitude while that stays as it was converted, and no
 * longer where it is another.
 */
export function withToldConversion(
  before: SeismicEventRecord,
  after: SeismicEventRecord,
): SeismicEventRecord {
  const from = before.extra?.[CONVERTED_FROM];
  if (from === undefined) return after;
  const { [CONVERTED_FROM]: given, ...others } = after.extra ?? {};
  if (OF_CONVERSION.every((name) => before[name] === after[name])) {
    return given === undefined ? { ...after, extra: { ...others, [CONVERTED_FROM]: from } } : after;
  }
  if (given === undefined || JSON.stringify(given) !== JSON.stringify(from)) return after;
  return { ...after, extra: Object.keys(others).length > 0 ? others : null };
}
