import type { BulletinWriter } from "../format-writer.ts";
import { lossLines, noLosses } from "./writing/losses.ts";
import { writeEvent } from "./writing/write-event.ts";

/**
 * A writer of bulletins in ISF 2.1 (IASPEI Seismic Format): origins, magnitudes, mechanisms and phases of
 * each event in the columns that the reader knows. Comments after `STOP`, where no reader looks for
 * values, count what the columns have no room for.
 * @param title of the bulletin, for people
 */
export function createIsfWriter(title: string): BulletinWriter {
  const losses = noLosses();
  const head = title.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  return {
    begin: () =>
      [
        "BEGIN IMS2.0",
        "DATA_TYPE BULLETIN IMS1.0:short with ISF2.1 extensions",
        // The line below is a title whatever it says, but must not be taken for an event's.
        `Bulletin ${head}`.trimEnd(),
        "",
        "",
      ].join("\n"),
    event: (bulletin) => writeEvent(bulletin, losses),
    end: () => `STOP\n${lossLines(losses)}`,
  };
}
