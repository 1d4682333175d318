import type { ComponentChildren } from "preact";
import type { SeismicEvent } from "../../model/operation-types.ts";
import { toldMargin } from "../../ui/text/attribute-names.ts";
import { magnitudeName, measured } from "../../ui/text/digits.ts";
import { latitude, longitude } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import { useRegion } from "../../ui/text/where.tsx";
import { digitsOfPlace, placeMargin } from "./uncertainty.ts";

type EventHeadProps = { readonly event: SeismicEvent; readonly children: ComponentChildren };

/** Which event it is, its size, time and place with what they are known to, and what can be done with it. */
export function EventHead({ event, children }: EventHeadProps) {
  const { magnitude, magnitude_type, magnitude_uncertainty } = event;
  const [name, sigma] = magnitudeName(magnitude, magnitude_type, magnitude_uncertainty);
  const where = useRegion(event);
  const { depth, depth_type, depth_uncertainty } = event;
  const [km] = measured(depth, depth_uncertainty, "depth");
  const digits = digitsOfPlace(event);
  return (
    <>
      <div class="page-head">
        <h1>
          {name}
          {sigma !== null && <span class="muted margin"> ± {sigma}</span>}
          {where !== null && ` · ${where}`}
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
      <div>
        <p>
          <When at={event.time} /> <span class="muted">{toldMargin("time", event)}</span>
        </p>
        <p>
          {latitude(event.latitude, digits)} {longitude(event.longitude, digits)}{" "}
          <span class="muted">{placeMargin(event)}</span> ·{" "}
          {depth === null ? (
            "depth unknown"
          ) : (
            <>
              {km} km deep <span class="muted">{toldMargin("depth", event)}</span>
            </>
          )}
          {depth_type === "operator assigned" && " (fixed)"}
        </p>
        <p class="muted">{reportedBy(event)}</p>
      </div>
    </>
  );
}

/** "Reported by agency us as usp000hvnv". */
function reportedBy({ agency_id, source_id }: SeismicEvent): string {
  if (agency_id && source_id) return `Reported by agency ${agency_id} as ${source_id}`;
  if (agency_id) return `Reported by agency ${agency_id}`;
  return source_id ? `Known as ${source_id}` : "";
}
