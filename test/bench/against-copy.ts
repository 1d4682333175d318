import type { BenchService } from "./bench-service.ts";
import { type Comparison, compare, type Round } from "./compare.ts";
import { copyIn, copyOut, removeAll } from "./copy-yardstick.ts";
import { secondsOf } from "./statistics.ts";

/**
 * Making a catalogue of `count` events until they are visible, against a COPY of the very rows that it
 * made into the same table with the same indexes; in seconds.
 * @param make resolves with the catalogue's id
 */
export async function againstCopy(
  { client, database }: Pick<BenchService, "client" | "database">,
  count: number,
  repetitions: number,
  make: () => Promise<string>,
  warmUps?: number,
): Promise<Comparison> {
  const measure = async (): Promise<Round> => {
    let id = "";
    const made = await secondsOf(async () => {
      id = await make();
    });
    const rows = await copyOut(database, id, count);
    const copied = await secondsOf(() => copyIn(database, rows));
    await removeAll(client, database, id);
    return [made, copied];
  };
  return compare(repetitions, measure, warmUps);
}
