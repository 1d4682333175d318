import type { Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { required, type TextLine } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { ownValues } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/service-id.ts";
import { makeAmplitude } from "./make-amplitude.ts";
import {
  kindOf,
  type PhaseLine,
  type PhaseVersion,
  readPhaseLine,
  versionOf,
} from "./phase-line.ts";

export type Phases = {
  readonly pick: readonly QuakemlObject<"Pick">[];
  readonly arrival: readonly QuakemlObject<"Arrival">[];
  readonly amplitude: readonly QuakemlObject<"Amplitude">[];
  /** Lines without a time or a reading. */
  readonly foreign: readonly Foreign[];
};

export type PhaseContext = {
  readonly eventID: string;
  /** The time of the event, whose day is that of the phases. */
  readonly originTime: string;
  readonly heading: { readonly version: PhaseVersion | undefined; readonly hasNoise: boolean };
};

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

type Draft = { pick: QuakemlObject<"Pick">; arrival: QuakemlObject<"Arrival"> | null };

/**
 * The phases of an event: each a pick, with an arrival unless its time is that of an amplitude or of
 * a coda's end. An azimuth on a line of its own belongs to the pick of the same station and time.
 * @throws FaultyLine
 */
export function readPhases(lines: readonly TextLine[], context: PhaseContext): Phases {
  const version = versionOf(context.heading.version, lines);
  const drafts: Draft[] = [];
  const amplitude: QuakemlObject<"Amplitude">[] = [];
  const foreign: Foreign[] = [];
  for (const line of lines) {
    const phase = readPhaseLine(line, version);
    if (`${phase.hour}${phase.minute}${phase.second}` === "") {
      foreign.push(...ownValues("phase", { line: line.text.trim() }));
      continue;
    }
    const time = timeOf(phase, context.originTime);
    if (kindOf(phase.phase) === "backazimuth" && addAzimuth(drafts, phase, time)) continue;
    const draft = makeDraft(phase, time, context, drafts.length);
    drafts.push(draft);
    amplitude.push(...makeAmplitude(phase, draft.pick, context.heading.hasNoise));
  }
  return {
    pick: drafts.map(({ pick }) => pick),
    arrival: drafts.flatMap(({ arrival }) => (arrival === null ? [] : [arrival])),
    amplitude,
    foreign,
  };
}

/** Hours from 24 on, and hour 0 of an event after 23 h, are of the next day. */
function timeOf({ line, hour, minute, second }: PhaseLine, originTime: string): string {
  const [year = "", month = "", day = ""] = originTime.slice(0, 10).split("-");
  const isNextDay = originTime.slice(11, 13) === "23" && Number(hour) === 0;
  const hours = isNextDay ? "24" : hour || "0";
  const time = isoTime([year, month, day, hours, minute || "0", second || "0"]);
  return required(line, time, "time of the phase");
}

function makeDraft(
  phase: PhaseLine,
  time: string,
  { eventID, heading }: PhaseContext,
  place: number,
): Draft {
  const kind = kindOf(phase.phase);
  const publicID = serviceId(eventID, "pick", place);
  const pick: QuakemlObject<"Pick"> = {
    publicID,
    time: { value: time },
    waveformID: {
      networkCode: phase.network,
      stationCode: phase.station,
      ...present({
        channelCode: phase.channel || undefined,
        locationCode: phase.location || undefined,
      }),
    },
    ...azimuthOf(phase),
    ...present({
      onset: ONSETS.get(phase.onset),
      phaseHint: phase.phase || undefined,
      polarity: POLARITIES.get(phase.motion),
    }),
    evaluationMode: phase.isAutomatic ? "automatic" : "manual",
    ...present({
      creationInfo: creationOf(phase),
      foreign: ownValues("reading", {
        weight: phase.weight,
        onset: ONSETS.has(phase.onset) ? "" : phase.onset,
        motion: POLARITIES.has(phase.motion) ? "" : phase.motion,
      }),
    }),
  };
  if (kind === "amplitude" || kind === "coda" || phase.phase === "") return { pick, arrival: null };
  const residual =
    kind === "arrival"
      ? { timeResidual: phase.residual, timeWeight: weightOf(phase) }
      : { backazimuthResidual: phase.residual, backazimuthWeight: weightOf(phase) };
  const arrival = {
    publicID: serviceId(eventID, "arrival", place),
    pickID: publicID,
    phase: phase.phase,
    ...present({
      azimuth: phase.azimuth,
      distance: phase.distanceKm === undefined ? undefined : phase.distanceKm / KM_PER_DEGREE,
      takeoffAngle:
        heading.hasNoise || phase.angle === undefined ? undefined : { value: phase.angle },
      backazimuthResidual: phase.backazimuthResidual,
      ...residual,
    }),
    ...(heading.hasNoise &&
      phase.angle !== undefined && { foreign: ownValues("reading", { snr: `${phase.angle}` }) }),
  };
  return { pick, arrival };
}

/** @returns whether there was a pick of the station and time */
function addAzimuth(drafts: Draft[], phase: PhaseLine, time: string): boolean {
  const draft = drafts.findLast(
    ({ pick, arrival }) =>
      arrival !== null &&
      pick.waveformID.stationCode === phase.station &&
      pick.waveformID.networkCode === phase.network &&
      pick.time.value === time,
  );
  if (draft?.arrival == null) return false;
  draft.pick = { ...draft.pick, ...azimuthOf(phase) };
  draft.arrival = {
    ...draft.arrival,
    ...present({ backazimuthResidual: phase.residual, backazimuthWeight: weightOf(phase) }),
  };
  return true;
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
