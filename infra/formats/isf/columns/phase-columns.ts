import { type Column, code, real, text } from "./column.ts";

/** Nanometres to metres. */
const NANOMETRES = -9;

/**
 * Lines of phases: IMS1.0 and ISF 1.0 to column 122, ISF 2.0 to 165, ISF 2.1 to 199. Times have no day,
 * distances and azimuths are degrees, slownesses s/deg.
 */
export const PHASE: readonly Column[] = [
  text(1, 5, "pick.waveformID.stationCode"),
  real(7, 12, 2, "arrival.distance"),
  real(14, 18, 1, "arrival.azimuth"),
  text(20, 27, "line.phase"),
  text(29, 40, "line.time"),
  real(42, 46, 1, "arrival.timeResidual"),
  real(48, 52, 1, "pick.backazimuth.value"),
  real(54, 58, 1, "arrival.backazimuthResidual"),
  real(60, 65, 2, "pick.horizontalSlowness.value"),
  real(67, 72, 1, "arrival.horizontalSlownessResidual"),
  text(74, 74, "line.timeWeight"),
  text(75, 75, "line.backazimuthWeight"),
  text(76, 76, "line.horizontalSlownessWeight"),
  real(78, 82, 1, "amplitude.snr"),
  real(84, 92, 1, "amplitude.genericAmplitude.value", NANOMETRES),
  real(94, 98, 2, "amplitude.period.value"),
  code(100, "pick.evaluationMode", { a: "automatic", m: "manual" }),
  code(101, "pick.polarity", { c: "positive", d: "negative" }),
  code(102, "pick.onset", { e: "emergent", i: "impulsive", q: "questionable" }),
  text(104, 108, "stationMagnitude.type"),
  text(109, 109, "stationMagnitude#limit"),
  real(110, 113, 1, "stationMagnitude.mag.value"),
  text(115, 125, "line.id"),
  text(127, 131, "pick#stationAgency"),
  text(133, 140, "pick.waveformID.networkCode"),
  text(142, 143, "line.location"),
  text(145, 149, "pick.creationInfo.author"),
  text(151, 155, "pick#reporter"),
  text(157, 159, "pick.waveformID.channelCode"),
  text(161, 163, "line.amplitudeChannel"),
  code(165, "pick#longPeriodMotion", { c: "c", d: "d" }),
  real(167, 174, 4, "pick#stationLatitude"),
  real(176, 184, 4, "pick#stationLongitude"),
  real(186, 192, 1, "pick#stationElevation"),
  real(194, 199, 1, "pick#stationDepth"),
];

/** Lines of the block of phase information, which only ISF 1.0 has; `id` is that of a phase's line. */
export const PHASE_INFORMATION: readonly Column[] = [
  text(1, 9, "line.network"),
  text(11, 13, "pick.waveformID.channelCode"),
  text(15, 15, "pick#filter"),
  real(17, 21, 2, "pick#filterLow"),
  real(23, 27, 2, "pick#filterHigh"),
  text(29, 36, "pick.phaseHint"),
  text(38, 47, "line.date"),
  real(49, 54, 3, "pick.time.uncertainty"),
  real(56, 60, 3, "arrival.timeWeight"),
  real(62, 66, 1, "pick.backazimuth.uncertainty"),
  real(68, 72, 3, "arrival.backazimuthWeight"),
  real(74, 79, 1, "pick.horizontalSlowness.uncertainty"),
  real(81, 85, 3, "arrival.horizontalSlownessWeight"),
  real(87, 95, 1, "amplitude.genericAmplitude.uncertainty", NANOMETRES),
  real(97, 101, 2, "amplitude.period.uncertainty"),
  real(103, 105, 1, "stationMagnitude.mag.uncertainty"),
  text(107, 115, "pick.creationInfo.author"),
  text(117, 124, "line.id"),
];

/**
 * Columns about the pick and its arrival, which lines without a time repeat or leave empty; elsewhere
 * they are foreign elements of the amplitude or magnitude, by the column's name.
 */
export const PICK_COLUMNS: readonly Column[] = PHASE.filter(
  ({ object, path }) => (object === "pick" && path[0] !== "waveformID") || object === "arrival",
);
