import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "./served-catalogue.ts";

/** GeoNet writes its header with blanks. */
export const TEXT_HEAD =
  "#EventID | Time | Latitude | Longitude | Depth/km | Author | Catalog | Contributor | ContributorID | MagType | Magnitude | MagAuthor | EventLocationName | EventType\n";

/** A line of 14 columns; `rounded` as GeoNet rounds: whole seconds, 0.001°, 0.1 km, magnitude 0.1. */
export function writeText({ row }: ServedEvent, rounded: boolean): string {
  const time = String(row["time"]).replace(/Z$/, "");
  const decimal = (value: JsonValue | undefined, digits: number) => {
    if (typeof value !== "number") return "";
    return rounded ? value.toFixed(digits) : String(value);
  };
  return `${[
    row["source_id"],
    rounded ? time.slice(0, 19) : time,
    decimal(row["latitude"], 3),
    decimal(row["longitude"], 3),
    decimal(row["depth"], 1),
    "GNS",
    "GNS",
    "GNS",
    row["source_id"],
    row["magnitude_type"] ?? "",
    decimal(row["magnitude"], 1),
    "GNS",
    row["region"] ?? "",
    row["event_type"] ?? "unknown",
  ].join("|")}\n`;
}
