import type { ApiClient } from "../../support/api-client.ts";
import { exportAll } from "../bench-export.ts";
import { comparisonOf, type Round } from "../compare.ts";
import type { Result } from "../report.ts";
import { secondsOf } from "../statistics.ts";
import type { Filled } from "./fill.ts";

const FORMATS = ["csv", "quakeml", "text"] as const;
/** An event of the large catalogue may take no longer than one of the small. */
const TARGET = 1.1;

/** Microseconds an event of the large catalogue's export, between two of the small one's. */
export async function exportsOf(client: ApiClient, small: Filled, large: Filled) {
  const results: Result[] = [];
  for (const format of FORMATS) {
    const each = async ({ id, events }: Filled): Promise<number> =>
      ((await secondsOf(() => exportAll(client, id, format, events))) * 1e6) / events;
    await each(small);
    const before = await each(small);
    const ours = await each(large);
    const round: Round = [ours, (before + (await each(small))) / 2];
    results.push({
      case: `export as ${format}, per event`,
      size: `${large.events} events`,
      unit: "µs",
      yardstick: `${small.events} events`,
      ...comparisonOf([round]),
      target: TARGET,
    });
  }
  return results;
}
