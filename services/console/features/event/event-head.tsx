import type { ComponentChildren } from "preact";
import { ago, decimal, latitude, longitude } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import type { SeismicEvent } from "./read-event.ts";
import { margin, placeMargin } from "./uncertainty.ts";

type EventHeadProps = { readonly event: SeismicEvent; readonly children: ComponentChildren };

/** Which event it is, its size, time and place with what they are known to, and what can be done with it. */
export function EventHead({ event, children }: EventHeadProps) {
  const { magnitude, magnitude_type } = event;
  return (
    <>
      <div class="page-head">
        <h1>
          {magnitude === null ? (
            "Magnitude unknown"
          ) : (
            <>
              M {decimal(magnitude, 1)} {magnitude_type}
              <span class="muted margin">{margin(event.magnitude_uncertainty)}</span>
            </>
          )}
          {event.region && ` · ${event.region}`}
        </h1>
        {[event.evaluation_status, event.evaluation_mode].map(
          (value) =>
            value && (
              <span key={value} class="badge">
                {value}
              </span>
            ),
        )}
        <div class="row end">{children}</div>
      </div>
      <EventFacts event={event} />
    </>
  );
}

function EventFacts({ event }: Pick<EventHeadProps, "event">) {
  const { depth, depth_type, source_id, agency_id } = event;
  return (
    <div class="event-facts">
      <p>
        {source_id && (
          <>
            Event <strong>{source_id}</strong>
          </>
        )}
        {agency_id && (
          <span class="muted">
            {source_id ? ", by " : "By "}
            {agency_id}
          </span>
        )}
      </p>
      <p>
        <UtcTime at={event.time} /> UTC{margin(event.time_uncertainty, "s")}{" "}
        <span class="muted">({ago(event.time)})</span>
      </p>
      <p>
        {latitude(event.latitude)} {longitude(event.longitude)}
        {placeMargin(event)} ·{" "}
        {depth === null
          ? "depth unknown"
          : `depth ${decimal(depth, 1)} km${margin(event.depth_uncertainty, "km")}`}
        {depth_type === "operator assigned" && " (fixed)"}
      </p>
    </div>
  );
}
