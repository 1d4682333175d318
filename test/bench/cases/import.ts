import { againstCopy } from "../against-copy.ts";
import { type Detail, importAll, withAgency } from "../agency-import.ts";
import type { Result } from "../report.ts";

/** How much longer than the COPY an import may take: 0.4 and 0.25 of its rate. */
const TARGETS = { summary: 1 / 0.4, full: 1 / 0.25 } as const satisfies Record<Detail, number>;
const FORMATS = { summary: "FDSN text", full: "QuakeML of 1 KB an event" } as const;

/** Imports of `count` events until they are visible, against a COPY of the very rows. */
export async function benchImport(count: number, repetitions: number): Promise<Result[]> {
  return withAgency(count, 0, async (bench) => {
    const results: Result[] = [];
    for (const detail of Object.keys(TARGETS) as Detail[]) {
      const make = () => importAll(bench.client, detail, count);
      results.push({
        case: `import of ${FORMATS[detail]} until visible`,
        size: `${count} events`,
        unit: "s",
        yardstick: "COPY of the same rows",
        ...(await againstCopy(bench, count, repetitions, make)),
        target: TARGETS[detail],
      });
    }
    return results;
  });
}
