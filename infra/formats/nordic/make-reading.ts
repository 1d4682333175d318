import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { degreesOfKm } from "../lines/degrees.ts";
import { ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { kindOf, type PhaseLine } from "./phase-line.ts";

const ONSETS = new Map<string, QuakemlObject<"Pick">["onset"]>([
  ["I", "impulsive"],
  ["E", "emergent"],
]);
const POLARITIES = new Map<string, QuakemlObject<"Pick">["polarity"]>([
  ["C", "positive"],
  ["+", "positive"],
  ["D", "negative"],
  ["-", "negative"],
]);
/** Weights of readings that are not used for the location. */
const UNUSED = ["4", "9"];
const FULL_WEIGHT = 10;
/** Stands for an unknown apparent velocity, as 0 does. */
const NO_VELOCITY = 999;

/** A pick, and its arrival where its time is not that of an amplitude or of a coda's end. */
export type Reading = {
  readonly pick: QuakemlObject<"Pick">;
  readonly arrival: QuakemlObject<"Arrival"> | null;
};

/**
 * @param place of the pick in its event, from 0
 * @param hasNoise the angle's columns hold the ratio of signal and noise
 */
export function makeReading(
  phase: PhaseLine,
  time: string,
  { eventID, place, hasNoise }: { eventID: string; place: number; hasNoise: boolean },
): Reading {
  const pick = makePick(phase, time, serviceId(eventID, "pick", place));
  const kind = kindOf(phase.phase);
  if (kind === "amplitude" || kind === "coda" || phase.phase === "") return { pick, arrival: null };
  const residual =
    kind === "arrival"
      ? { timeResidual: phase.residual, timeWeight: weightOf(phase) }
      : { backazimuthResidual: phase.residual, backazimuthWeight: weightOf(phase) };
  const { angle, azimuth, distanceKm, backazimuthResidual } = phase;
  const arrival = {
    publicID: serviceId(eventID, "arrival", place),
    pickID: pick.publicID,
    phase: phase.phase,
    ...present({
      azimuth,
      distance: distanceKm === undefined ? undefined : degreesOfKm(distanceKm),
      takeoffAngle: hasNoise || angle === undefined ? undefined : { value: angle },
      backazimuthResidual,
      ...residual,
      foreign: ownValues("reading", { snr: hasNoise ? angle?.toString() : undefined }),
    }),
  };
  return { pick, arrival };
}

/** The reading with the azimuth of another line. */
export function withAzimuth(
  { pick, arrival }: Reading & { readonly arrival: QuakemlObject<"Arrival"> },
  phase: PhaseLine,
): Reading {
  const residual = { backazimuthResidual: phase.residual, backazimuthWeight: weightOf(phase) };
  return {
    pick: { ...pick, ...azimuthOf(phase) },
    arrival: { ...arrival, ...present(residual) },
  };
}

function makePick(phase: PhaseLine, time: string, publicID: string): QuakemlObject<"Pick"> {
  const { network, station, channel, location, motion, onset } = phase;
  return {
    publicID,
    time: { value: time },
    waveformID: {
      networkCode: network,
      stationCode: station,
      ...present({ channelCode: channel || undefined, locationCode: location || undefined }),
    },
    ...azimuthOf(phase),
    ...present({
      onset: ONSETS.get(onset),
      phaseHint: phase.phase || undefined,
      polarity: POLARITIES.get(motion),
    }),
    evaluationMode: phase.isAutomatic ? "automatic" : "manual",
    ...present({
      creationInfo: creationOf(phase),
      foreign: ownValues("reading", {
        weight: phase.weight,
        onset: ONSETS.has(onset) ? "" : onset,
        motion: POLARITIES.has(motion) ? "" : motion,
      }),
    }),
  };
}

function azimuthOf({ backazimuth, velocity }: PhaseLine) {
  const isKnown = velocity !== undefined && velocity !== 0 && velocity !== NO_VELOCITY;
  return present({
    horizontalSlowness: isKnown ? { value: KM_PER_DEGREE / velocity } : undefined,
    backazimuth: backazimuth === undefined ? undefined : { value: backazimuth },
  });
}

function weightOf({ finalWeight, weight }: PhaseLine): number | undefined {
  if (finalWeight !== undefined) return finalWeight / FULL_WEIGHT;
  return UNUSED.includes(weight) ? 0 : undefined;
}

function creationOf({ agency, operator }: PhaseLine): QuakemlObject<"CreationInfo"> | undefined {
  const info = present({ agencyID: agency || undefined, author: operator || undefined });
  return Object.keys(info).length === 0 ? undefined : info;
}
