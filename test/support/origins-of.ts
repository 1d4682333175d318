import {
  createOriginsBuilder,
  type Origin,
  type Origins,
} from "#services/domain/merges/grouping/thresholds.ts";

/** The origins of these events, one row each. */
export function originsOf(events: readonly Origin[]): Origins {
  const builder = createOriginsBuilder(events.length);
  for (const event of events) builder.push(event);
  return builder.finish();
}
