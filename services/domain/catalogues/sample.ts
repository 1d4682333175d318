import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import type { Coordinates } from "#contracts/geometry/globe.ts";
import { auxiliaryPlane, type Plane, tensorOf } from "#contracts/seismic-event/double-couple.ts";
import { DAY_MS } from "#contracts/units.ts";
import { type Random, seededRandom } from "../analytics/numbers/random.ts";
import { momentOf } from "../analytics/rates/seismic-moment.ts";

/** The sample as it is submitted, in the form of a catalogue's creation. */
export type SampleCatalogue = {
  readonly name: string;
  readonly is_public: true;
  readonly metadata: CatalogueMetadata;
  readonly events: readonly SampleEvent[];
};

export function sampleCatalogue(): SampleCatalogue {
  return {
    name: "Sample: a made-up sequence near Taupō",
    is_public: true,
    metadata: {
      title: "A made-up earthquake sequence near Taupō, New Zealand",
      description:
        "For trying things out. Nothing of it was observed: the events were drawn at random by the laws that earthquakes follow, with a main shock, aftershocks, a swarm, quarry blasts and a slab below.",
      license: "CC0-1.0",
    },
    events: sampleEvents(),
  };
}

/** An event as it is submitted. */
type SampleEvent = Readonly<Record<string, unknown>>;

const SEED = 20_220_559;

/**
 * The sample's events, in order of time: always the same ones. Nothing of them was observed; they
 * follow the laws and have the attributes of a national network's catalogue.
 */
export function sampleEvents(): SampleEvent[] {
  const draws = createDraws(seededRandom(SEED));
  return madeUpSequence(draws).map((event, index) => describeEvent(event, index + 1, draws));
}

function describeEvent(event: Hypocentre, number: number, draws: Draws): SampleEvent {
  const { kind } = event;
  const magnitude = round(event.magnitude, 1);
  const isManual = kind === "main" || magnitude >= 3;
  const stations = Math.round(Math.max(4, 5 + 8 * magnitude + draws.normal(0, 3)));
  const isDepthFixed = kind === "crust" && magnitude < 2 && draws.happens(0.12);
  // Some small ones are located without a magnitude.
  const isUnknown = kind === "crust" && magnitude < 1.6 && draws.happens(0.02);
  const mechanism = magnitude >= 3.5 && kind !== "blast" ? mechanismOf(event, draws) : null;
  return {
    source_id: `sample-${String(number).padStart(4, "0")}`,
    time: new Date(Math.round(event.timeMs)).toISOString(),
    latitude: round(event.latitude, 4),
    longitude: round(event.longitude, 4),
    depth: isDepthFixed ? 5 : round(event.depth, 1),
    depth_type: isDepthFixed ? "operator assigned" : "from location",
    ...(!isDepthFixed && { depth_uncertainty: round(Math.abs(draws.normal(1, 0.6)) + 0.3, 1) }),
    magnitude: isUnknown ? null : magnitude,
    ...(!isUnknown && {
      magnitude_type: mechanism ? "Mw" : "ML",
      magnitude_uncertainty: round(Math.abs(draws.normal(0.15, 0.06)) + 0.05, 2),
      magnitude_station_count: Math.max(2, stations - 3),
    }),
    horizontal_uncertainty: round(Math.abs(draws.normal(0.8, 0.4)) + 0.2, 1),
    used_station_count: stations,
    used_phase_count: Math.round(stations * draws.between(1.3, 1.9)),
    azimuthal_gap: round(
      Math.min(330, Math.max(28, 400 / Math.sqrt(stations) + draws.normal(0, 25))),
      0,
    ),
    standard_error: round(Math.abs(draws.normal(0.22, 0.1)) + 0.05, 2),
    event_type: kind === "blast" ? "quarry blast" : "earthquake",
    evaluation_mode: isManual ? "manual" : "automatic",
    evaluation_status: kind === "main" ? "final" : isManual ? "reviewed" : "preliminary",
    region: "Taupō region (made up)",
    agency_id: "SAMPLE",
    ...(mechanism && { focal_mechanisms: [mechanism] }),
  };
}

/** Normal faults along the rift, reverse ones in the slab. */
function mechanismOf(event: Hypocentre, draws: Draws): SampleEvent {
  const isDeep = event.kind === "slab";
  const spread = event === MAIN ? 0 : 12;
  const plane: Plane = {
    strike: round(draws.normal(isDeep ? 215 : 222, spread), 0),
    dip: round(Math.min(85, Math.max(20, draws.normal(isDeep ? 40 : 58, spread / 2))), 0),
    rake: round(draws.normal(isDeep ? 95 : -92, spread), 0),
  };
  const other = auxiliaryPlane(plane);
  const moment = momentOf(round(event.magnitude, 1));
  const tensor = Object.entries(tensorOf(plane, moment));
  return {
    nodalPlanes: {
      nodalPlane1: plane,
      nodalPlane2: {
        strike: round(other.strike, 0),
        dip: round(other.dip, 0),
        rake: round(other.rake, 0),
      },
      preferredPlane: 1,
    },
    momentTensor: {
      scalarMoment: Number(moment.toPrecision(3)),
      tensor: Object.fromEntries(tensor.map(([name, part]) => [name, Number(part.toPrecision(3))])),
      doubleCouple: 1,
    },
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Where, when and how large an earthquake of the sample is, before anything is said of how well it is known. */
type Hypocentre = Coordinates & {
  readonly timeMs: number;
  /** km */
  readonly depth: number;
  readonly magnitude: number;
  readonly kind: "main" | "crust" | "slab" | "blast";
};

const BEGIN = Date.UTC(2019, 0, 1);
const END = Date.UTC(2024, 11, 31);

const MAIN: Hypocentre = {
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

function madeUpSequence(draws: Draws): Hypocentre[] {
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

/** Draws of one seed, by the distributions that earthquakes follow. */
type Draws = ReturnType<typeof createDraws>;

const OMORI = { c: 0.03, p: 1.1 };

function createDraws(random: Random) {
  return {
    between: (from: number, to: number) => from + (to - from) * random(),
    // Box and Muller; the logarithm is of a draw above 0.
    normal: (mean: number, deviation: number) =>
      mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
    /** Whether something of this probability happens. */
    happens: (probability: number) => random() < probability,
    /** Gutenberg–Richter with b = 1 from `least` on. */
    magnitude(least: number, most: number): number {
      const share = 1 - 10 ** (least - most);
      return least - Math.log10(1 - share * random());
    },
    /** Days after a main shock, up to `days`, by Omori–Utsu with c = 0.03 d and p = 1.1. */
    omoriDays(days: number): number {
      const power = 1 - OMORI.p;
      const first = OMORI.c ** power;
      const last = (days + OMORI.c) ** power;
      return (first + (last - first) * random()) ** (1 / power) - OMORI.c;
    },
  };
}

/** Degrees and kilometres on the small region of the sample. */
const KM_PER_DEGREE = 111.195;

/** The place some kilometres from another: `along` in the direction of `azimuth`, `across` to its right. */
function placeAt(from: Coordinates, azimuth: number, along: number, across: number): Coordinates {
  const angle = (azimuth * Math.PI) / 180;
  const north = along * Math.cos(angle) - across * Math.sin(angle);
  const east = along * Math.sin(angle) + across * Math.cos(angle);
  const latitude = from.latitude + north / KM_PER_DEGREE;
  const perDegree = KM_PER_DEGREE * Math.cos((latitude * Math.PI) / 180);
  return { latitude, longitude: from.longitude + east / perDegree };
}
