import { type EventColumns, locatedAt, timeAt } from "../model/event-columns.ts";
import { given, magnitudeName } from "../ui/text/digits.ts";
import { ago, latitude, longitude, time } from "../ui/text/format.ts";
import { localTime } from "../ui/text/moment.tsx";
import { useRegion } from "../ui/text/where.tsx";

type TipProps = { readonly columns: EventColumns; readonly event: number | null };

/** The event under the pointer ; the table has it for everybody else. */
export function Tip({ columns, event }: TipProps) {
  const where = useRegion(event === null ? null : locatedAt(columns, event));
  if (event === null) return null;
  const at = timeAt(columns, event);
  const [name] = magnitudeName(columns.magnitude[event], null);
  return (
    <div class="map-tip" aria-hidden="true">
      <strong>{name}</strong>
      {where !== null && ` · ${where}`} · {given(columns.depth[event], "depth")} km deep
      <div>
        {time(at).slice(0, 19)} UTC ({ago(at)})
      </div>
      <div class="muted">
        {localTime(at)} · {latitude(columns.latitude[event] ?? 0)}{" "}
        {longitude(columns.longitude[event] ?? 0)}
      </div>
    </div>
  );
}
