import { MINUS } from "#contracts/plots/numbers.ts";
import { boundsOf, widthOf } from "../model/bounds.ts";
import type { EventColumns } from "../model/event-columns.ts";
import type { Axis } from "./chart/chart-types.ts";
import { linearOver } from "./chart/scale.ts";
import { type Profile, placeOnProfile } from "./profile.ts";

/** Along what depths are drawn. */
export type Along = "longitude" | "latitude" | Profile;

/** The events of a vertical section, as they come: newest first. */
export type Section = {
  /** Their indexes among all. */
  readonly index: Uint32Array;
  /** Where each lies along the section: degrees, or kilometres along a profile. */
  readonly at: Float64Array;
  /** Kilometres beside a profile, to its right; nothing of other sections. */
  readonly across: Float64Array | null;
  readonly axis: Axis;
  readonly depth: Axis;
  readonly withoutDepth: number;
  /** Too far from a profile. */
  readonly beside: number;
};

export function sectionOf(columns: EventColumns, along: Along): Section {
  const { axis, placeOf } = directionOf(columns, along);
  const isProfile = typeof along === "object";
  const index: number[] = [];
  const places: number[] = [];
  const across: number[] = [];
  let [withoutDepth, beside] = [0, 0];
  for (let i = 0; i < columns.count; i++) {
    const place = placeOf(i);
    if (isProfile && Math.abs(place.across) > along.halfWidthKm) beside++;
    else if (Number.isNaN(columns.depth[i])) withoutDepth++;
    else {
      index.push(i);
      places.push(place.along);
      across.push(place.across);
    }
  }
  return {
    index: Uint32Array.from(index),
    at: Float64Array.from(places),
    across: isProfile ? Float64Array.from(across) : null,
    axis: axis ?? { ...linearOver(places), label: "Distance along the profile, km" },
    depth: depthAxis(index.map((i) => columns.depth[i] ?? 0)),
    withoutDepth,
    beside,
  };
}

type Direction = {
  /** Null where the events' places make it. */
  readonly axis: Axis | null;
  readonly placeOf: (i: number) => { readonly along: number; readonly across: number };
};

/** Degrees go on over the date line. */
function directionOf(columns: EventColumns, along: Along): Direction {
  const { latitude, longitude } = columns;
  if (typeof along === "object") {
    const placeOf = (i: number) =>
      placeOnProfile(along, { latitude: latitude[i] ?? 0, longitude: longitude[i] ?? 0 });
    return { axis: null, placeOf };
  }
  const bounds = boundsOf(latitude, longitude, null) ?? { south: -1, north: 1, west: -1, east: 1 };
  const text = (value: number) => degreesText(value, along);
  const axisFrom = (from: number, length: number): Axis => ({
    ...linearOver([from, from + length]),
    label: along === "longitude" ? "Longitude" : "Latitude",
    text,
  });
  if (along === "latitude") {
    return {
      axis: axisFrom(bounds.south, bounds.north - bounds.south),
      placeOf: (i) => ({ along: latitude[i] ?? 0, across: 0 }),
    };
  }
  return {
    axis: axisFrom(bounds.west, widthOf(bounds)),
    placeOf: (i) => {
      const degrees = longitude[i] ?? 0;
      // The bounds are those of single precision, as the longitudes are.
      return { along: degrees < bounds.west - 1e-6 ? degrees + 360 : degrees, across: 0 };
    },
  };
}

/** From the deepest up to the surface, or above it where events are. */
function depthAxis(depths: readonly number[]): Axis {
  let [least, most] = [0, 1];
  for (const km of depths) {
    if (km < least) least = km;
    if (km > most) most = km;
  }
  const room = (most - least) * 0.03;
  return {
    kind: "linear",
    from: most + room,
    to: least - room,
    label: "Depth, km",
    text: (km) => (km === 0 ? "0" : String(km).replace("-", MINUS)),
  };
}

function degreesText(degrees: number, along: "longitude" | "latitude"): string {
  const wrapped = along === "longitude" && degrees > 180 ? degrees - 360 : degrees;
  const [positive, negative] = along === "longitude" ? ["E", "W"] : ["N", "S"];
  return `${Math.abs(Number(wrapped.toFixed(4)))}° ${wrapped < 0 ? negative : positive}`;
}
