import { seismicEvent } from "../../support/api/catalogue.ts";

/** What the tests compare of an event; depth in kilometres. */
export type ClientEvent = {
  readonly source_id: string;
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number | null;
  readonly magnitude: number | null;
  readonly magnitude_type: string | null;
  readonly event_type: string | null;
  readonly agency_id: string | null;
  readonly region: string | null;
};

const PLACES: readonly (readonly [latitude: number, longitude: number])[] = [
  [-42.69, 173.02],
  [10, 179.5],
  [-20.25, -179.75],
  [90, 0],
  [-90, 120],
  [89.5, -100],
  [0, 0],
  [0, 180],
  [51.5, -170],
  [35.000001, 139.7],
  [-12.5, 170],
];
const DEPTHS = [15.1, 0, null, 33, 610.25, -1.5, 10];
const MAGNITUDES = [7.8, 2.1, null, 5, 5.05, -0.3, 6.2, 4.5];
const TYPES = ["Mw", "ML", "mb", "mB", "Mww"];
const EVENT_TYPES = ["earthquake", null, "quarry blast", "explosion", "earthquake"];
const AGENCIES = ["WEL", "GFZ", "NEIC", null];
const START_MS = Date.UTC(2015, 0, 1, 0, 0, 0);
const STEP_MS = 45 * 86_400_000 + 3_600_007;

const at = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

/** Events with all that is awkward: nulls, poles, both sides of 180°, no type; times to the microsecond. */
export function awkwardEvents(count: number): ClientEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const [latitude, longitude] = at(PLACES, i);
    const magnitude = at(MAGNITUDES, i);
    const micros = String((i * 37 + 1) % 1000).padStart(3, "0");
    return seismicEvent({
      source_id: `ev${i}`,
      time: new Date(START_MS + i * STEP_MS).toISOString().replace("Z", `${micros}Z`),
      latitude,
      longitude,
      depth: at(DEPTHS, i),
      magnitude,
      magnitude_type: magnitude === null ? null : at(TYPES, i),
      event_type: at(EVENT_TYPES, i),
      agency_id: at(AGENCIES, i),
      region: i % 3 === 0 ? `Māori & "quoted" | ${i}` : null,
    }) as ClientEvent;
  });
}

const RAD = Math.PI / 180;

/** A pole is inside every box that touches it, whatever its longitudes. */
export const isPole = ({ latitude }: Pick<ClientEvent, "latitude">): boolean =>
  Math.abs(latitude) === 90;

/** Degrees of arc between two points of a sphere, by the haversine formula. */
export function arcDegrees(
  [latitude1, longitude1]: readonly [number, number],
  [latitude2, longitude2]: readonly [number, number],
): number {
  const half = (degrees: number) => Math.sin((degrees * RAD) / 2) ** 2;
  const h =
    half(latitude2 - latitude1) +
    Math.cos(latitude1 * RAD) * Math.cos(latitude2 * RAD) * half(longitude2 - longitude1);
  return (2 * Math.asin(Math.min(1, Math.sqrt(h)))) / RAD;
}
