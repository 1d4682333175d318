import { type Column, code, integer, real, text } from "./column.ts";

/** Kilometres to metres. */
const KILOMETRES = 3;

const FIXED = { f: true } as const;

/**
 * Lines of origins: IMS1.0 and ISF 1.0 to column 136, ISF 2.0 and 2.1 to column 161. The ellipse and the
 * error of the depth are of 90 %. (ISC, IASPEI Seismic Format: its library in C and Fortran; iLoc's writer.)
 */
export const ORIGIN: readonly Column[] = [
  text(1, 10, "line.date"),
  text(12, 22, "line.time"),
  code(23, "origin.timeFixed", FIXED),
  real(25, 29, 2, "origin.time.uncertainty"),
  real(31, 35, 2, "origin.quality.standardError"),
  real(37, 44, 4, "origin.latitude.value"),
  real(46, 54, 4, "origin.longitude.value"),
  code(55, "origin.epicenterFixed", FIXED),
  real(56, 60, 1, "ellipse.maxHorizontalUncertainty", KILOMETRES),
  real(62, 66, 1, "ellipse.minHorizontalUncertainty", KILOMETRES),
  real(68, 70, 0, "ellipse.azimuthMaxHorizontalUncertainty"),
  real(72, 76, 1, "origin.depth.value", KILOMETRES),
  code(77, "origin.depthType", { f: "operator assigned", d: "constrained by depth phases" }),
  real(79, 82, 1, "origin.depth.uncertainty", KILOMETRES),
  integer(84, 87, "origin.quality.usedPhaseCount"),
  integer(89, 92, "origin.quality.usedStationCount"),
  real(94, 96, 0, "origin.quality.azimuthalGap"),
  real(98, 103, 2, "origin.quality.minimumDistance"),
  real(105, 110, 2, "origin.quality.maximumDistance"),
  text(112, 112, "line.analysis"),
  text(114, 114, "origin#locationMethod"),
  text(116, 117, "line.eventType"),
  text(119, 127, "origin.creationInfo.author"),
  text(129, 139, "line.id"),
  text(141, 145, "origin#reporter"),
  real(147, 151, 1, "origin#depthPhaseDepth"),
  real(153, 157, 1, "origin#depthPhaseDepthError"),
  real(159, 161, 0, "origin.quality.secondaryAzimuthalGap"),
];

/** Lines of magnitudes; ids of origins have three more columns since ISF 2.1. */
export const MAGNITUDE: readonly Column[] = [
  text(1, 5, "magnitude.type"),
  text(6, 6, "magnitude#limit"),
  real(7, 10, 1, "magnitude.mag.value"),
  real(12, 14, 1, "magnitude.mag.uncertainty"),
  integer(16, 19, "magnitude.stationCount"),
  text(21, 29, "magnitude.creationInfo.author"),
  text(31, 41, "line.originId"),
];
