import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "./served-catalogue.ts";

/** GeoNet writes its header with blanks; `typed` with the last of 14 columns. */
export function textHead(typed: boolean): string {
  const columns =
    "#EventID | Time | Latitude | Longitude | Depth/km | Author | Catalog | Contributor | ContributorID | MagType | Magnitude | MagAuthor | EventLocationName";
  return typed ? `${columns} | EventType\n` : `${columns}\n`;
}

type TextForm = { readonly rounded: boolean; readonly typed: boolean };

/** A line of 13 or 14 columns; `rounded` as GeoNet rounds: whole seconds, 0.001°, 0.1 km, magnitude 0.1. */
export function writeText({ row }: ServedEvent, { rounded, typed }: TextForm): string {
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
    ...(typed ? [row["event_type"] ?? "unknown"] : []),
  ].join("|")}\n`;
}
