import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { TextRow } from "#infra/postgres/copy/text-copy.ts";
import { isoTime } from "./copied-events.ts";

/** Reads records from copied rows of read_model.seismic_events with the given columns. */
export function createRecordReader(
  columns: readonly string[],
): (row: TextRow) => SeismicEventRecord {
  const time = columns.indexOf("time");
  const timeDigits = columns.indexOf("time_digits");
  const scalars = ATTRIBUTE_NAMES.map((name) => {
    const { kind } = ATTRIBUTES[name];
    const isNumber = kind === "number" || kind === "integer";
    return { name, isNumber, place: columns.indexOf(name) };
  });
  const structures = STRUCTURED_NAMES.flatMap((name) => {
    const place = columns.indexOf(name);
    return place === -1 ? [] : [{ name, place }];
  });

  return (row) => {
    const at = isoTime(row[time] as string, Number(row[timeDigits]));
    const record = emptyRecord({ time: at, latitude: 0, longitude: 0 });
    const values = record as Record<string, unknown>;
    for (const { name, isNumber, place } of scalars) {
      const text = row[place];
      if (text !== null && text !== undefined) values[name] = isNumber ? Number(text) : text;
    }
    for (const { name, place } of structures) {
      const text = row[place];
      if (text !== null && text !== undefined) values[name] = JSON.parse(text);
    }
    return record;
  };
}
