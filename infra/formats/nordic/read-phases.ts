import type { Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { required, type TextLine } from "../fixed-columns.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { ownValues } from "../lines/own.ts";
import { makeAmplitude } from "./make-amplitude.ts";
import { makeReading, type Reading, withAzimuth } from "./make-reading.ts";
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
  /** Lines without a time. */
  readonly foreign: readonly Foreign[];
};

export type PhaseContext = {
  readonly eventID: string;
  /** The time of the event, whose day is that of the phases. */
  readonly originTime: string;
  readonly heading: { readonly version: PhaseVersion | undefined; readonly hasNoise: boolean };
};

/**
 * The phases of an event: each a pick, with an arrival unless its time is that of an amplitude or of
 * a coda's end. An azimuth on a line of its own belongs to the pick of the same station and time.
 * @throws FaultyLine
 */
export function readPhases(lines: readonly TextLine[], context: PhaseContext): Phases {
  const { eventID, heading, originTime } = context;
  const version = versionOf(heading.version, lines);
  const readings = createReadings();
  const amplitude: QuakemlObject<"Amplitude">[] = [];
  const foreign: Foreign[] = [];
  for (const line of lines) {
    const phase = readPhaseLine(line, version);
    if (`${phase.hour}${phase.minute}${phase.second}` === "") {
      foreign.push(...ownValues("phase", { line: line.text.trim() }));
      continue;
    }
    const time = timeOf(phase, originTime);
    if (kindOf(phase.phase) === "backazimuth" && readings.addAzimuth(phase, time)) continue;
    const place = readings.count();
    const { hasNoise } = heading;
    const reading = makeReading(phase, time, { eventID, place, hasNoise });
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
      readings[place] = withAzimuth({ pick, arrival }, phase);
      return true;
    },
    all: () => ({
      pick: readings.map(({ pick }) => pick),
      arrival: readings.flatMap(({ arrival }) => arrival ?? []),
    }),
  };
}
