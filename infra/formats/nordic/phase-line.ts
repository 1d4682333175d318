import { columnsOf, numberIn, type TextLine } from "../fixed-columns.ts";

/** What a line of type 4 says, by either version's columns. Texts are "" where there is nothing. */
export type PhaseLine = {
  readonly line: TextLine;
  readonly station: string;
  readonly channel: string;
  readonly network: string;
  readonly location: string;
  readonly onset: string;
  readonly phase: string;
  /** 0 or nothing is full weight, 4 none, 9 a reading without absolute time. */
  readonly weight: string;
  readonly isAutomatic: boolean;
  readonly motion: string;
  readonly hour: string;
  readonly minute: string;
  readonly second: string;
  /** Seconds. */
  readonly coda: number | undefined;
  /** Metres, or metres per second for velocities. */
  readonly amplitude: number | undefined;
  readonly period: number | undefined;
  readonly backazimuth: number | undefined;
  /** Apparent velocity in km/s. */
  readonly velocity: number | undefined;
  /** Angle of incidence, or the ratio of signal and noise, as the heading says. */
  readonly angle: number | undefined;
  readonly backazimuthResidual: number | undefined;
  readonly residual: number | undefined;
  /** Weight in the location, from 0 to 10. */
  readonly finalWeight: number | undefined;
  readonly distanceKm: number | undefined;
  readonly azimuth: number | undefined;
  readonly agency: string;
  readonly operator: string;
};

export type PhaseVersion = "old" | "new";

const NM_TO_M = -9;
/** In the place of a weight, other characters are of a long phase. */
const WEIGHTS = " 012349_";

/** Readings of amplitudes, durations and azimuths, whose time is no arrival. */
export type ReadingKind = "arrival" | "amplitude" | "coda" | "backazimuth";

export function kindOf(phase: string): ReadingKind {
  if (/^I?[AV]/.test(phase)) return "amplitude";
  if (phase === "END") return "coda";
  return phase.startsWith("BAZ") ? "backazimuth" : "arrival";
}

/** The version by the heading, else by where a decimal point stands in the seconds. */
export function versionOf(
  heading: PhaseVersion | undefined,
  lines: readonly TextLine[],
): PhaseVersion {
  if (lines.some((line) => columnsOf(line, 25, 28).includes("."))) return "old";
  return heading ?? (lines.some((line) => columnsOf(line, 32, 37).includes(".")) ? "new" : "old");
}

/** @throws FaultyLine */
export function readPhaseLine(line: TextLine, version: PhaseVersion): PhaseLine {
  const text = (from: number, to = from) => columnsOf(line, from, to);
  const common = {
    line,
    station: text(2, 6),
    residual: numberIn(line, 64, 68),
    finalWeight: numberIn(line, 69, 70),
    distanceKm: numberIn(line, 71, 75),
    azimuth: numberIn(line, 77, 79),
  };
  return version === "old"
    ? { ...common, ...oldColumns(line) }
    : { ...common, ...newColumns(line) };
}

function oldColumns(line: TextLine) {
  const text = (from: number, to = from) => columnsOf(line, from, to);
  const isLong = !WEIGHTS.includes(line.text.charAt(14) || " ");
  const isLongWithoutWeight = line.text.charAt(14) === "_";
  const phase = isLong || isLongWithoutWeight ? text(11, 18) : text(11, 14);
  return {
    channel: text(7, 8),
    network: "",
    location: "",
    onset: text(10),
    phase,
    weight: isLong || isLongWithoutWeight ? text(9) : text(15),
    isAutomatic: !isLong && text(16) === "A",
    motion: isLong || isLongWithoutWeight ? "" : text(17),
    hour: text(19, 20),
    minute: text(21, 22),
    second: text(23, 29),
    coda: numberIn(line, 30, 33),
    amplitude: numberIn(line, 34, 40, NM_TO_M),
    period: numberIn(line, 41, 45),
    backazimuth: numberIn(line, 46, 51),
    velocity: numberIn(line, 52, 56),
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
