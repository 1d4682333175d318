import type { ComponentChildren } from "preact";
import { ago, decimal, latitude, longitude, time } from "../../ui/format.ts";
import type { SeismicEvent } from "./page.tsx";

type EventHeadProps = { readonly event: SeismicEvent; readonly children: ComponentChildren };

/** Size, time and place of an event, with what can be done with it. */
export function EventHead({ event, children }: EventHeadProps) {
  const { magnitude, magnitude_type, depth, depth_type, evaluation_mode, evaluation_status } =
    event;
  const size = magnitude === null ? "Magnitude unknown" : `M ${decimal(magnitude, 1)}`;
  return (
    <>
      <div class="page-head">
        <h1>
          {size} {magnitude !== null && magnitude_type} {event.region && `· ${event.region}`}
        </h1>
        {[evaluation_status, evaluation_mode].map(
          (value) =>
            value && (
              <span key={value} class="badge">
                {value}
              </span>
            ),
        )}
        <div class="row end">{children}</div>
      </div>
      <p>
        <time dateTime={event.time}>{time(event.time)} UTC</time>
        <span class="muted"> ({ago(event.time)})</span> · {latitude(event.latitude)}{" "}
        {longitude(event.longitude)} ·{" "}
        {depth === null ? "depth unknown" : `${decimal(depth, 1)} km deep`}
        {depth_type === "operator assigned" && " (fixed)"}
      </p>
    </>
  );
}
