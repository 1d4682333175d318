import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { Catalogue, SeismicEvent } from "../../api/call.ts";
import { readColumns } from "../../api/columns.ts";
import { usualScale } from "../../drawing/classes.ts";
import { EventMap } from "../../map/event-map.tsx";
import type { Line } from "../../map/layers.ts";
import { DEGREE_ZOOM, type MapView } from "../../model/bounds.ts";
import { addressOfEvent, type EventColumns, locatedAt, timeAt } from "../../model/event-columns.ts";
import { distanceKm } from "../../model/great-circle.ts";
import { Answered, useCall } from "../../ui/call.tsx";
import { Table } from "../../ui/table.tsx";
import { Aligned } from "../../ui/text/aligned.tsx";
import { counted, decimal, magnitudeName } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import { Where } from "../../ui/text/where.tsx";

const RADIUS_KM = 100;

type NearbyProps = {
  readonly catalogue: Catalogue;
  readonly event: SeismicEvent;
  readonly asOf: string | undefined;
  /** Drawn over the map: how well the event's place is known, and its other solutions. */
  readonly lines: readonly Line[];
};

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
              // As on the page of the catalogue.
              colours={{ by: "depth", scale: usualScale(neighbours) }}
              lines={lines}
            />
          </div>
          <NearbyList {...{ catalogue, event, asOf }} columns={neighbours} />
          <p class="small">
            <Link href={`/catalogues/${catalogue.id}?${search}`}>
              {counted(neighbours.total ?? neighbours.count, "event")} within {RADIUS_KM} km
            </Link>
          </p>
        </div>
      )}
    </Answered>
  );
}

/** Events that are listed, at most. */
const MOST = 5;

type NearbyListProps = Omit<NearbyProps, "lines"> & { readonly columns: EventColumns };

/** The neighbours whose epicentres are nearest, nearest first. */
function NearbyList({ catalogue, event, asOf, columns }: NearbyListProps) {
  const nearest = useMemo(() => nearestOf(columns, event), [columns, event.id]);
  if (nearest.length === 0) return null;
  return (
    <Table
      label="Nearest events"
      kind="compact folds"
      columns={[
        [
          "Nearest events",
          ({ index }) => (
            <Link href={addressOfEvent(catalogue.id, columns.idOf(index), asOf)}>
              {magnitudeName(columns.magnitude[index], null)[0]}
            </Link>
          ),
          "nowrap",
          "row",
        ],
        ["Time, UTC", ({ index }) => <UtcTime at={timeAt(columns, index)} length={19} />, "nowrap"],
        ["Where", ({ index }) => <Where event={locatedAt(columns, index)} />],
        [
          "Depth, km",
          ({ index }) => <Aligned value={columns.depth[index]} measure="depth" />,
          "number",
        ],
        ["Away, km", ({ km }) => decimal(km, 1), "number"],
      ]}
      rows={nearest}
      keyOf={({ index }) => index}
    />
  );
}

/** Indexes of the nearest events with their distances. */
function nearestOf(columns: EventColumns, event: SeismicEvent) {
  const own = columns.indexOf(event.id);
  return Array.from({ length: columns.count }, (_, index) => ({
    index,
    km: distanceKm(event, locatedAt(columns, index)),
  }))
    .filter(({ index }) => index !== own)
    .toSorted((a, b) => a.km - b.km)
    .slice(0, MOST);
}
