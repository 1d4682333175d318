import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { azimuthTo, distanceKm, type Place, placeFrom } from "./great-circle.ts";

type Origin = NonNullable<Bulletin["origin"]>[number];

/** The half axes of an error ellipse, kilometres; the azimuth of the longer one, degrees. */
export type ErrorEllipse = {
  readonly longKm: number;
  readonly shortKm: number;
  readonly azimuth: number;
};

/** How well an origin's epicentre is known; a circle where one radius is given; null without any. */
export function ellipseOf({ originUncertainty = [] }: Origin): ErrorEllipse | null {
  for (const one of originUncertainty) {
    const { horizontalUncertainty, minHorizontalUncertainty, maxHorizontalUncertainty } = one;
    const long = maxHorizontalUncertainty ?? horizontalUncertainty;
    if (long === undefined || !(long > 0)) continue;
    const azimuth = one.azimuthMaxHorizontalUncertainty;
    // An ellipse of unknown direction is drawn as the circle around it.
    const short = azimuth === undefined ? long : (minHorizontalUncertainty ?? long);
    return { longKm: long / 1_000, shortKm: short / 1_000, azimuth: azimuth ?? 0 };
  }
  return null;
}

/** How well a row's epicentre is known. */
export type LocatedRow = Place & {
  /** Kilometres. */
  readonly horizontal_uncertainty?: number | null;
  /** Degrees. */
  readonly latitude_uncertainty?: number | null;
  readonly longitude_uncertainty?: number | null;
};

/** The same of a row: a circle, else an ellipse along the meridian and the parallel. */
export function ellipseOfRow(row: LocatedRow): ErrorEllipse | null {
  const { horizontal_uncertainty: radius, latitude, latitude_uncertainty: north } = row;
  const east = row.longitude_uncertainty;
  if (radius) return { longKm: radius, shortKm: radius, azimuth: 0 };
  if (!north || !east) return null;
  const northKm = north * KM_PER_DEGREE;
  const eastKm = east * KM_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  return northKm > eastKm
    ? { longKm: northKm, shortKm: eastKm, azimuth: 0 }
    : { longKm: eastKm, shortKm: northKm, azimuth: 90 };
}

const PIECES = 48;

/** The outline of an ellipse around a place; its last place is its first. */
export function outlineOf(middle: Place, ellipse: ErrorEllipse): readonly Place[] {
  const at = (piece: number) => {
    const angle = (2 * Math.PI * piece) / PIECES;
    const [along, across] = [ellipse.longKm * Math.cos(angle), ellipse.shortKm * Math.sin(angle)];
    const turn = (Math.atan2(across, along) * 180) / Math.PI;
    return placeFrom(middle, ellipse.azimuth + turn, Math.hypot(along, across));
  };
  return Array.from({ length: PIECES + 1 }, (_, piece) => at(piece));
}

/** Whether two error ellipses around their places have a place in common. */
export function overlap(a: Place, ofA: ErrorEllipse, b: Place, ofB: ErrorEllipse): boolean {
  const isAnyIn = (outline: readonly Place[], middle: Place, ellipse: ErrorEllipse) =>
    outline.some((place) => isWithin(place, middle, ellipse));
  return isAnyIn([a, ...outlineOf(a, ofA)], b, ofB) || isAnyIn([b, ...outlineOf(b, ofB)], a, ofA);
}

function isWithin(place: Place, middle: Place, ellipse: ErrorEllipse): boolean {
  const km = distanceKm(middle, place);
  const turn = ((azimuthTo(middle, place) - ellipse.azimuth) * Math.PI) / 180;
  const along = (km * Math.cos(turn)) / ellipse.longKm;
  const across = (km * Math.sin(turn)) / ellipse.shortKm;
  return along ** 2 + across ** 2 <= 1;
}
