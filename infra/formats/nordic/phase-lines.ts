import type { Foreign, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { KM_PER_DEGREE } from "#contracts/units.ts";
import { filled, ownValues, present, serviceId } from "../bulletin/members.ts";
import { columnsOf, numberIn, required, type TextLine } from "../lines/fixed-columns.ts";
import { degreesOfKm, isoTime } from "../lines/values.ts";

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
type Reading = {
  readonly pick: QuakemlObject<"Pick">;
  readonly arrival: QuakemlObject<"Arrival"> | null;
};

/**
 * @param place of the pick in its event, from 0
 * @param hasNoise the angle's columns hold the ratio of signal and noise
 */
function makeReading(
  phase: PhaseLine,
  time: string,
  eventID: string,
  place: number,
  hasNoise: boolean,
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
      creationInfo: filled({
        agencyID: phase.agency || undefined,
        author: phase.operator || undefined,
      }),
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

/**
 * The phases of an event: each a pick, with an arrival unless its time is that of an amplitude or of
 * a coda's end. An azimuth on a line of its own belongs to the pick of the same station and time.
 * @param originTime of the event, whose day is that of the phases
 * @throws FaultyLine
 */
export function readPhases(
  lines: readonly TextLine[],
  eventID: string,
  originTime: string,
  heading: { readonly version: PhaseVersion | undefined; readonly hasNoise: boolean },
) {
  const { hasNoise } = heading;
  const version = versionOf(heading.version, lines);
  const readings = createReadings();
  const amplitude: QuakemlObject<"Amplitude">[] = [];
  /** Lines without a time. */
  const foreign: Foreign[] = [];
  for (const line of lines) {
    const phase = readPhaseLine(line, version);
    if (`${phase.hour}${phase.minute}${phase.second}` === "") {
      foreign.push(...ownValues("phase", { line: line.text.trim() }));
      continue;
    }
    const time = timeOf(phase, originTime);
    if (kindOf(phase.phase) === "backazimuth" && readings.addAzimuth(phase, time)) continue;
    const reading = makeReading(phase, time, eventID, readings.count(), hasNoise);
    readings.add(reading);
    amplitude.push(...makeAmplitude(phase, reading.pick, hasNoise));
  }
  return { ...readings.all(), amplitude, foreign };
}

/** Hours from 24 on, and hour 0 of an event after 23 h, are of the next day. */
function timeOf({ line, hour, minute, second }: PhaseLine, originTime: string): string {
  const [year = "", month = "", day = ""] = originTime.slice(0, 10).split("-");
  const isNextDay = originTime.slice(11, 13) === "23" && Number(hour) === 0;
  const hours = isNextDay ? "24" : hour || "0";
  const time = isoTime([year, month, day, hours, minute || "0", second || "0"]);
  return required(line, time, "time of the phase");
}

function createReadings() {
  const readings: Reading[] = [];
  /** Places of readings with an arrival by station and time, the last of each. */
  const places = new Map<string, number>();
  const keyOf = (network: string, station: string, time: string) => `${network} ${station} ${time}`;

  return {
    count: () => readings.length,
    add(reading: Reading): void {
      const { waveformID, time } = reading.pick;
      const key = keyOf(waveformID.networkCode, waveformID.stationCode, time.value);
      if (reading.arrival !== null) places.set(key, readings.length);
      readings.push(reading);
    },
    /** @returns whether there is a pick of the station and time */
    addAzimuth(phase: PhaseLine, time: string): boolean {
      const place = places.get(keyOf(phase.network, phase.station, time));
      const { pick, arrival } = (place !== undefined && readings[place]) || {};
      if (place === undefined || !pick || !arrival) return false;
      const residual = { backazimuthResidual: phase.residual, backazimuthWeight: weightOf(phase) };
      readings[place] = {
        pick: { ...pick, ...azimuthOf(phase) },
        arrival: { ...arrival, ...present(residual) },
      };
      return true;
    },
    all: () => ({
      pick: readings.map(({ pick }) => pick),
      arrival: readings.flatMap(({ arrival }) => arrival ?? []),
    }),
  };
}

/** Which magnitude a reading is for, by its name (IASPEI's, and SEISAN's older ones). */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^I?AML/, "ML"],
  [/^I?AMB|^I?Amb/, "mb"],
  [/^I?V?MB_BB|^IVmB/, "mB"],
  [/^I?AMS|^I?[AV]Ms/, "Ms"],
];

/**
 * The amplitude and the coda that a line has, each of the line's pick. What else stands on the line of
 * an amplitude is kept: its residual is that of the station's magnitude.
 */
function makeAmplitude(
  phase: PhaseLine,
  { publicID: pickID, waveformID }: QuakemlObject<"Pick">,
  hasNoise: boolean,
): QuakemlObject<"Amplitude">[] {
  const readings: QuakemlObject<"Amplitude">[] = [];
  const isArrival = kindOf(phase.phase) === "arrival";
  const kept = isArrival ? [] : keptOf(phase);
  const more = {
    ...present({ snr: hasNoise ? phase.angle : undefined }),
    pickID,
    waveformID,
    ...present({ foreign: kept }),
  };
  const { amplitude, period, coda } = phase;
  if (amplitude !== undefined) {
    readings.push({
      publicID: serviceId(pickID, "amplitude", "amplitude"),
      genericAmplitude: { value: amplitude },
      type: isArrival ? "A" : phase.phase.replace(/^I(?=AML)/, ""),
      category: "point",
      unit: /^I?V/.test(phase.phase) ? "m/s" : "m",
      ...present({
        period: period === undefined ? undefined : { value: period },
        magnitudeHint: HINTS.find(([name]) => name.test(phase.phase))?.[1],
      }),
      ...more,
    });
  }
  if (coda !== undefined) {
    readings.push({
      publicID: serviceId(pickID, "amplitude", "coda"),
      genericAmplitude: { value: coda },
      type: "END",
      category: "duration",
      unit: "s",
      magnitudeHint: "Mc",
      ...more,
    });
  }
  return readings;
}

function keptOf(phase: PhaseLine) {
  const text = (value: number | undefined) => (value === undefined ? undefined : String(value));
  return ownValues("reading", {
    magnitudeResidual: text(phase.residual),
    weight: text(phase.finalWeight),
    distanceKm: text(phase.distanceKm),
    azimuth: text(phase.azimuth),
  });
}

type PhaseLine = ReturnType<typeof readPhaseLine>;
type PhaseVersion = "old" | "new";

const NM_TO_M = -9;
/** In the place of a weight, other characters are of a long phase. */
const WEIGHTS = " 012349_";

/** Readings of amplitudes, durations and azimuths have a time that is no arrival. */
function kindOf(phase: string): "arrival" | "amplitude" | "coda" | "backazimuth" {
  if (/^I?[AV]/.test(phase)) return "amplitude";
  if (phase === "END") return "coda";
  return phase.startsWith("BAZ") ? "backazimuth" : "arrival";
}

/** The version by the heading, else by where a decimal point stands in the seconds. */
function versionOf(heading: PhaseVersion | undefined, lines: readonly TextLine[]): PhaseVersion {
  if (lines.some((line) => columnsOf(line, 25, 28).includes("."))) return "old";
  return heading ?? (lines.some((line) => columnsOf(line, 32, 37).includes(".")) ? "new" : "old");
}

/**
 * What a line of type 4 says, by either version's columns. Texts are "" where there is nothing.
 * @throws FaultyLine
 */
function readPhaseLine(line: TextLine, version: PhaseVersion) {
  return {
    line,
    station: columnsOf(line, 2, 6),
    residual: numberIn(line, 64, 68),
    /** Weight in the location, from 0 to 10. */
    finalWeight: numberIn(line, 69, 70),
    distanceKm: numberIn(line, 71, 75),
    azimuth: numberIn(line, 77, 79),
    ...(version === "old" ? oldColumns(line) : newColumns(line)),
  };
}

function oldColumns(line: TextLine) {
  const text = (from: number, to = from) => columnsOf(line, from, to);
  const isLong = !WEIGHTS.includes(line.text.charAt(14) || " ");
  const isLongWithoutWeight = line.text.charAt(14) === "_";
  return {
    channel: text(7, 8),
    network: "",
    location: "",
    onset: text(10),
    phase: isLong || isLongWithoutWeight ? text(11, 18) : text(11, 14),
    /** 0 or nothing is full weight, 4 none, 9 a reading without absolute time. */
    weight: isLong || isLongWithoutWeight ? text(9) : text(15),
    isAutomatic: !isLong && text(16) === "A",
    motion: isLong || isLongWithoutWeight ? "" : text(17),
    hour: text(19, 20),
    minute: text(21, 22),
    second: text(23, 29),
    /** Seconds. */
    coda: numberIn(line, 30, 33),
    /** Metres, or metres per second for velocities. */
    amplitude: numberIn(line, 34, 40, NM_TO_M),
    period: numberIn(line, 41, 45),
    backazimuth: numberIn(line, 46, 51),
    /** Apparent velocity in km/s. */
    velocity: numberIn(line, 52, 56),
    /** Angle of incidence, or the ratio of signal and noise, as the heading says. */
    angle: numberIn(line, 57, 60),
    backazimuthResidual: numberIn(line, 61, 63),
    agency: "",
    operator: "",
  };
}

function newColumns(line: TextLine) {
  const text = (from: number, to = from) => columnsOf(line, from, to);
  const phase = text(17, 24);
  const kind = kindOf(phase);
  const isArrival = kind === "arrival";
  const value = (places = 0) => (isArrival ? undefined : numberIn(line, 38, 44, places));
  const second = isArrival ? undefined : numberIn(line, 45, 50);
  return {
    channel: text(7, 9),
    network: text(11, 12),
    location: text(13, 14),
    onset: text(16),
    phase,
    weight: text(25),
    isAutomatic: text(26) === "A",
    motion: isArrival ? text(44) : "",
    hour: text(27, 28),
    minute: text(29, 30),
    second: text(31, 37),
    coda: kind === "coda" ? value() : undefined,
    amplitude: kind === "amplitude" ? value(NM_TO_M) : undefined,
    period: kind === "amplitude" ? second : undefined,
    backazimuth: kind === "backazimuth" ? value() : undefined,
    velocity: kind === "backazimuth" ? second : undefined,
    angle: numberIn(line, 59, 63),
    backazimuthResidual: undefined,
    agency: text(52, 54),
    operator: text(56, 58),
  };
}
