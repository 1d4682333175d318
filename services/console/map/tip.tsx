import { type EventColumns, locatedAt, timeAt } from "../model/event-columns.ts";
import { given, magnitudeName } from "../ui/text/digits.ts";
import { ago, latitude, longitude, time } from "../ui/text/format.ts";
import { localTime } from "../ui/text/moment.tsx";
import { useRegion } from "../ui/text/where.tsx";
import type { Pointed } from "./live-map.ts";

type TipProps = { readonly columns: EventColumns; readonly pointed: Pointed | null };

/** The event under the pointer, beside it; the table has it for everybody else. */
export function Tip({ columns, pointed }: TipProps) {
  const event = pointed?.event ?? null;
  const where = useRegion(event === null ? null : locatedAt(columns, event));
  if (pointed === null || event === null) return null;
  const at = timeAt(columns, event);
  const [name] = magnitudeName(columns.magnitude[event], null);
  return (
    <div class="map-tip" aria-hidden="true" ref={(element) => place(element, pointed)}>
      <strong>{name}</strong> · {given(columns.depth[event], "depth")} km deep
      {where !== null && <div>{where}</div>}
      <div>
        {time(at).slice(0, 19)} UTC ({ago(at)})
      </div>
      <div class="muted">{localTime(at)}</div>
      <div class="muted">
        {latitude(columns.latitude[event] ?? 0)} {longitude(columns.longitude[event] ?? 0)}
      </div>
    </div>
  );
}

/** From the pointer to the card, pixels. */
const BESIDE = 14;

/** Beside the pointer, on that side of it which has room. */
function place(element: HTMLElement | null, { x, y }: Pointed): void {
  const frame = element?.parentElement;
  if (!element || !frame) return;
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = x + BESIDE + width > frame.clientWidth ? x - BESIDE - width : x + BESIDE;
  const top = y + BESIDE + height > frame.clientHeight ? y - BESIDE - height : y + BESIDE;
  element.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
}
