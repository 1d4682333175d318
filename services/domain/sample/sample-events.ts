import { auxiliaryPlane, type Plane, tensorOf } from "#contracts/seismic-event/double-couple.ts";
import { seededRandom } from "../statistics/numbers/seeded-random.ts";
import { createDraws, type Draws } from "./draws.ts";
import { type Hypocentre, MAIN, madeUpSequence } from "./sequence.ts";

/** An event as it is submitted. */
export type SampleEvent = Readonly<Record<string, unknown>>;

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
  const moment = momentOf(round(event.magnitude, 1));
  const tensor = Object.entries(tensorOf(plane, moment));
  return {
    nodalPlanes: {
      nodalPlane1: plane,
      nodalPlane2: rounded(auxiliaryPlane(plane)),
      preferredPlane: 1,
    },
    momentTensor: {
      scalarMoment: Number(moment.toPrecision(3)),
      tensor: Object.fromEntries(tensor.map(([name, part]) => [name, Number(part.toPrecision(3))])),
      doubleCouple: 1,
    },
  };
}

function rounded({ strike, dip, rake }: Plane): Plane {
  return { strike: round(strike, 0), dip: round(dip, 0), rake: round(rake, 0) };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Scalar moment of a moment magnitude, N·m (IASPEI 2005). */
function momentOf(magnitude: number): number {
  return 10 ** (1.5 * magnitude + 9.1);
}
