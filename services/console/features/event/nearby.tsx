import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { readColumns } from "../../api/columns.ts";
import { type ColourScale, wantsLocalScale } from "../../drawing/classes.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Line } from "../../map/shape-layer.ts";
import { addressOfEvent } from "../../model/address-of-event.ts";
import { DEGREE_ZOOM } from "../../model/bounds.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import type { MapView } from "../../model/map-view.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { events } from "../../ui/text/format.ts";
import { NearbyList } from "./nearby-list.tsx";
import type { Catalogue, SeismicEvent } from "./read-event.ts";

const RADIUS_KM = 100;

type NearbyProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  readonly asOf: string | undefined;
  /** Drawn over the map: how well the event's place is known, and its other solutions. */
  readonly lines: readonly Line[];
};

/** As on the page of the catalogue. */
function scaleOf({ depth }: EventColumns): ColourScale {
  return wantsLocalScale(depth) ? "local" : "global";
}

/** The event on a map, with its neighbours in the catalogue. */
export function Nearby({ catalogue, event, asOf, lines }: NearbyProps) {
  const { id, latitude, longitude } = event;
  const circle = { latitude, longitude, maxRadiusKm: RADIUS_KM, asOf };
  const read = useCall(JSON.stringify([catalogue.id, id, circle]), (signal) =>
    readColumns(catalogue.id, circle, ["region"], { signal }),
  );
  const selected = useSignal<number | null>(null);
  const view = useSignal<MapView | null>({ zoom: DEGREE_ZOOM, latitude, longitude });
  const [, navigate] = useLocation();
  const columns = read.answer;
  useEffect(() => {
    if (columns) selected.value = columns.indexOf(id);
  }, [columns, id]);
  const chosen = selected.value;
  useEffect(() => {
    const other = columns && chosen !== null ? columns.idOf(chosen) : id;
    if (other !== id) navigate(addressOfEvent(catalogue.id, other, asOf));
  }, [chosen]);
  const search = new URLSearchParams({
    latitude: String(latitude),
    longitude: String(longitude),
    maxRadiusKm: String(RADIUS_KM),
    ...(asOf && { asOf }),
  });
  return (
    <Answered call={read}>
      {(neighbours) => (
        <div class="stack">
          <div class="event-map">
            <EventMap
              columns={neighbours}
              selected={selected}
              view={view}
              colours={{ by: "depth", scale: scaleOf(neighbours) }}
              lines={lines}
            />
          </div>
          <NearbyList
            catalogueId={catalogue.id}
            asOf={asOf}
            id={id}
            at={{ latitude, longitude }}
            columns={neighbours}
          />
          <p class="small">
            <Link href={`/catalogues/${catalogue.id}?${search}`}>
              {events(neighbours.count)} within {RADIUS_KM} km
            </Link>
          </p>
        </div>
      )}
    </Answered>
  );
}
