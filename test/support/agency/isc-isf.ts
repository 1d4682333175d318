import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "./served-catalogue.ts";

/** The message around the events, as ISC's. */
export const ISF_HEAD = "DATA_TYPE BULLETIN IMS1.0:short\nISC Bulletin\n";
export const ISF_TAIL = "STOP\n";

const ORIGIN_HEADER =
  "   Date       Time        Err   RMS Latitude Longitude  Smaj  Smin  Az Depth   Err Ndef Nsta Gap  mdist  Mdist Qual   Author      OrigID\n";
const MAGNITUDE_HEADER = "Magnitude  Err Nsta Author      OrigID\n";
const PHASE_HEADER =
  "Sta     Dist  EvAz Phase        Time      TRes  Azim AzRes   Slow   SRes Def   SNR       Amp   Per Qual Magnitude    ArrID\n";

/** An event with its prime origin, its magnitude if it has one, and `phases` phases. */
export function writeIsf({ row }: ServedEvent, phases: number): string {
  const id = String(row["source_id"]);
  const originId = id.slice(-8).padStart(8);
  const [date = "", time = ""] = String(row["time"]).replace("Z", "").split("T");
  const origin = line([
    [1, date.replaceAll("-", "/")],
    [12, time.slice(0, 11)],
    [37, fixed(row["latitude"], 4, 8)],
    [46, fixed(row["longitude"], 4, 9)],
    [72, fixed(row["depth"], 1, 5)],
    [115, " ke"],
    [119, "ISC"],
    [129, originId],
  ]);
  const magnitude = fixed(row["magnitude"], 1, 4);
  const magnitudes =
    magnitude === ""
      ? ""
      : `${MAGNITUDE_HEADER}${line([
          [1, "mb"],
          [7, magnitude],
          [21, "ISC"],
          [31, originId],
        ])}\n`;
  return (
    `Event ${id} ${row["region"] ?? "Unknown"}\n${ORIGIN_HEADER}${origin} (#PRIME)\n\n${magnitudes}` +
    `${PHASE_HEADER}${phasesOf(id, time, phases)}\n`
  );
}

function phasesOf(id: string, time: string, count: number): string {
  return Array.from({ length: count }, (_, i) =>
    line([
      [1, `S${i}`],
      [7, fixed(i + 0.5, 2, 6)],
      [20, "P"],
      [29, time.slice(0, 12)],
      [42, "  0.3"],
      [74, "T__"],
      [115, `${id}${i}`.slice(-8).padStart(8)],
    ]),
  ).join("");
}

function fixed(value: JsonValue | undefined, digits: number, width: number): string {
  return typeof value === "number" ? value.toFixed(digits).padStart(width) : "";
}

/** A line of fields, each at its column, counted from 1. */
function line(fields: readonly (readonly [number, string])[]): string {
  return `${fields.reduce((text, [column, field]) => text.padEnd(column - 1) + field, "")}\n`;
}
