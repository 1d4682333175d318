import { DAY_MS } from "#contracts/units.ts";
import type { Draws } from "./draws.ts";
import { type Coordinates, placeAt } from "./places.ts";

/** Where, when and how large an earthquake of the sample is, before anything is said of how well it is known. */
export type Hypocentre = Coordinates & {
  readonly timeMs: number;
  /** km */
  readonly depth: number;
  readonly magnitude: number;
  readonly kind: "main" | "crust" | "slab" | "blast";
};

const BEGIN = Date.UTC(2019, 0, 1);
const END = Date.UTC(2024, 11, 31);

export const MAIN: Hypocentre = {
  timeMs: Date.UTC(2022, 4, 17, 2, 41, 9, 380),
  latitude: -38.862,
  longitude: 175.934,
  depth: 7.4,
  magnitude: 6.1,
  kind: "main",
};
/** The rift's direction, along which faults and sequences lie. */
const RIFT = 42;
/** From where the slab goes down to the north-west. */
const TRENCH: Coordinates = { latitude: -39.75, longitude: 177.25 };

export function madeUpSequence(draws: Draws): Hypocentre[] {
  const all = [
    MAIN,
    ...times(1_500, () => aftershock(draws)).filter((event) => isSeen(event, draws)),
    ...times(9, () => foreshock(draws)),
    ...times(900, () => background(draws)).filter((event) => isSeen(event, draws)),
    ...times(140, () => swarm(draws)).filter((event) => isSeen(event, draws)),
    ...times(650, () => inSlab(draws)).filter((event) => isSeen(event, draws)),
    ...times(14, () => blast(draws)),
  ];
  return all.toSorted((a, b) => a.timeMs - b.timeMs);
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/**
 * Whether a network would find it: half of those of magnitude 1.3; fewer soon after the main shock,
 * in whose waves small ones are lost (Helmstetter et al. 2006).
 */
function isSeen({ magnitude, timeMs }: Hypocentre, draws: Draws): boolean {
  const days = (timeMs - MAIN.timeMs) / DAY_MS;
  const lost = days > 0 && days < 10 ? MAIN.magnitude - 4.5 - 0.75 * Math.log10(days) : 0;
  const found = 1 / (1 + Math.exp((Math.max(1.3, lost) - magnitude) / 0.12));
  return draws.happens(found);
}

function aftershock(draws: Draws): Hypocentre {
  const place = placeAt(MAIN, RIFT, draws.normal(2, 6.5), draws.normal(0, 2));
  return {
    ...place,
    timeMs: MAIN.timeMs + draws.omoriDays(420) * DAY_MS,
    depth: Math.max(1, draws.normal(7, 2.4)),
    // Båth: the largest is about 1.2 below the main shock.
    magnitude: draws.magnitude(0.9, 4.9),
    kind: "crust",
  };
}

function foreshock(draws: Draws): Hypocentre {
  const place = placeAt(MAIN, RIFT, draws.normal(0, 1.5), draws.normal(0, 1));
  return {
    ...place,
    timeMs: MAIN.timeMs - draws.omoriDays(3) * DAY_MS - 60_000,
    depth: Math.max(1, draws.normal(7, 1)),
    magnitude: draws.magnitude(1.5, 3.8),
    kind: "crust",
  };
}

function background(draws: Draws): Hypocentre {
  const place = placeAt(MAIN, RIFT, draws.normal(0, 45), draws.normal(0, 14));
  return {
    ...place,
    timeMs: draws.between(BEGIN, END),
    depth: Math.max(0.5, draws.normal(8, 4)),
    magnitude: draws.magnitude(0.9, 5),
    kind: "crust",
  };
}

/** Many of like size in two weeks, below the lake. */
function swarm(draws: Draws): Hypocentre {
  const place = placeAt(
    { latitude: -38.77, longitude: 175.83 },
    RIFT,
    draws.normal(0, 2),
    draws.normal(0, 1.2),
  );
  return {
    ...place,
    timeMs: Date.UTC(2020, 8, 3) + Math.abs(draws.normal(0, 6)) * DAY_MS,
    depth: Math.max(1, draws.normal(5, 1)),
    magnitude: draws.magnitude(0.9, 3.6),
    kind: "crust",
  };
}

/** In the plate that sinks below: the farther to the north-west, the deeper. */
function inSlab(draws: Draws): Hypocentre {
  const across = draws.between(0, 190);
  const place = placeAt(TRENCH, 40, draws.between(-60, 130), -across);
  return {
    ...place,
    timeMs: draws.between(BEGIN, END),
    depth: 28 + 0.95 * across + draws.normal(0, 5),
    magnitude: draws.magnitude(0.9, 5.6),
    kind: "slab",
  };
}

/** At a quarry, on weekdays at noon of New Zealand. */
function blast(draws: Draws): Hypocentre {
  const day = Math.floor(draws.between(0, 300)) * 7 + Math.floor(draws.between(0, 5));
  // 7 January 2019 was a Monday; noon there is midnight UTC or an hour before.
  const timeMs = Date.UTC(2019, 0, 6, 23, 30) + day * DAY_MS + draws.between(0, 3_600_000);
  const place = placeAt(
    { latitude: -38.61, longitude: 176.24 },
    0,
    draws.normal(0, 0.4),
    draws.normal(0, 0.4),
  );
  return { ...place, timeMs, depth: 0, magnitude: draws.between(1.3, 2), kind: "blast" };
}
