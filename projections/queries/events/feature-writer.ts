import { FIELD } from "#infra/formats/format-writer.ts";
import { featureOf } from "#infra/formats/json/geojson-writer.ts";
import { readTextRow } from "#infra/postgres/copy/text-copy.ts";
import type { EventKey } from "./event-cursor.ts";
import { EVENT_COLUMNS, toExportRow } from "./event-rows.ts";
import type { PageForm } from "./event-writer.ts";

/**
 * Pages of GeoJSON Features as an export has them.
 * @param member text added to each Feature before its end: further members, or nothing
 */
export function asFeatures(member: (id: string) => string): PageForm {
  return { columns: EVENT_COLUMNS, createWriter };

  function createWriter(limit: number, reversed: boolean) {
    const pieces: Buffer[] = [];
    const keys: EventKey[] = [];
    let more = false;
    return {
      add(line: Buffer): void {
        if (pieces.length === limit) {
          more = true;
          return;
        }
        const row = readTextRow(line.toString("utf8", 0, line.length - 1));
        const time = row[FIELD.time] ?? "";
        const id = row[FIELD.id] ?? "";
        const magnitude = row[FIELD.magnitude] ?? null;
        keys.push({ magnitude: magnitude === null ? null : Number(magnitude), time, id });
        pieces.push(Buffer.from(featureOf(toExportRow(row), member(id))));
      },
      finish() {
        const ends = [keys.at(0) ?? null, keys.at(-1) ?? null] as const;
        const [first, last] = reversed ? [ends[1], ends[0]] : ends;
        const json = reversed ? pieces.toReversed() : pieces;
        return { json, count: json.length, first, last, more };
      },
    };
  }
}
