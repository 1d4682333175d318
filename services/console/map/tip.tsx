import type { EventColumns } from "../api/columns.ts";
import { decimal, latitude, longitude, time } from "../ui/format.ts";

type TipProps = { readonly columns: EventColumns; readonly event: number | null };

/** The event under the pointer in one line; the table has it for everybody else. */
export function Tip({ columns, event }: TipProps) {
  if (event === null) return null;
  const at = new Date(columns.time[event] ?? 0).toISOString();
  return (
    <div class="map-tip" aria-hidden="true">
      <strong>M {decimal(columns.magnitude[event], 1)}</strong> {time(at).slice(0, 19)} UTC ·{" "}
      {decimal(columns.depth[event], 1)} km · {latitude(columns.latitude[event] ?? 0)}{" "}
      {longitude(columns.longitude[event] ?? 0)}
    </div>
  );
}
