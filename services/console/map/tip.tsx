import { type EventColumns, timeAt } from "../model/event-columns.ts";
import { decimal, latitude, longitude, time } from "../ui/text/format.ts";
import { localTime } from "../ui/text/moment.tsx";

type TipProps = { readonly columns: EventColumns; readonly event: number | null };

/** The event under the pointer ; the table has it for everybody else. */
export function Tip({ columns, event }: TipProps) {
  if (event === null) return null;
  const at = timeAt(columns, event);
  return (
    <div class="map-tip" aria-hidden="true">
      <strong>M {decimal(columns.magnitude[event], 1)}</strong> {time(at).slice(0, 19)} UTC ·{" "}
      {decimal(columns.depth[event], 1)} km · {latitude(columns.latitude[event] ?? 0)}{" "}
      {longitude(columns.longitude[event] ?? 0)}
      <div class="muted">{localTime(at)}</div>
    </div>
  );
}
