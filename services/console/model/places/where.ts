import { directionTo, distanceKm, type Place } from "../great-circle.ts";
import type { NamedPlace } from "./place-areas.ts";

/** Places farther away say less than the name of the ocean. */
export const FARTHEST_KM = 1_000;

/** As near as the places' coordinates, hundredths of a degree, can tell. */
const AT_PLACE_KM = 2;
/** From here on kilometres are told in tens, and directions in sixteenths. */
const FAR_KM = 100;

const WINDS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE"];
const ALL_WINDS = [...WINDS, "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];

/** "12 km SE of Taupo", "near Taupo". */
export function whereFrom([name, latitude, longitude]: NamedPlace, at: Place): string {
  const place = { latitude, longitude };
  const km = distanceKm(place, at);
  if (km < AT_PLACE_KM) return `near ${name}`;
  const told = km < FAR_KM ? Math.round(km) : 10 * Math.round(km / 10);
  return `${told.toLocaleString("en")} km ${windFrom(place, at, km < FAR_KM ? 8 : 16)} of ${name}`;
}

/** The direction from a place to another, as one of 8 or 16 winds. */
export function windFrom(place: Place, at: Place, winds: 8 | 16): string {
  const { north, east } = directionTo(place, at);
  const turn = Math.atan2(east, north) / (2 * Math.PI);
  const wind = (Math.round(turn * winds) + winds) % winds;
  return ALL_WINDS[wind * (16 / winds)] ?? "N";
}

/** Where no place is near: the ocean, by its usual limits. */
export function oceanAt({ latitude, longitude }: Place): string {
  if (latitude <= -60) return "Antarctic region";
  if (latitude >= 70) return "Arctic region";
  const half = latitude < 0 ? "South" : "North";
  // From Cape Horn to the Cape of Good Hope, thence to Tasmania.
  if (longitude >= -68 && longitude < 20) return `${half} Atlantic Ocean`;
  if (longitude >= 20 && longitude < 147 && latitude < 30) return "Indian Ocean";
  return `${half} Pacific Ocean`;
}
