/**
 * The columns of ISF's lines with the places of their values in a bulletin, and the drafts of
 * objects that lines make.
 */

import type { Foreign } from "#contracts/bulletin/quakeml.ts";
import { OWN_NAMESPACE, own } from "../bulletin/members.ts";

/** The value of a column of one letter. */
export type CodedValue = string | true;

/**
 * A column of a line, counted from 1, and the place of its value in the bulletin: the reader puts it
 * there, the writer takes it from there. `object` is one of the objects that a line makes (an origin's
 * line an origin and an ellipse); `line` is what the code beside the table understands.
 */
export type Column = {
  readonly from: number;
  readonly to: number;
  readonly kind: "real" | "integer" | "text" | "code";
  readonly object: string;
  /** Members from the object to the value. */
  readonly path: readonly string[];
  /** QuakeML has no place for it: an own foreign element of the object, with the text as it stands. */
  readonly isForeign: boolean;
  /** Digits of the fraction that the format prescribes; fewer where the columns are too narrow. */
  readonly digits?: number;
  /** The power of ten from the column's unit to QuakeML's. */
  readonly places?: number;
  /** The value is to be multiplied by the power of ten that its line names. */
  readonly isScaled?: true;
  readonly codes?: Readonly<Record<string, CodedValue>>;
};

/** `origin.latitude.value` is a member, `origin#reporter` a foreign element. */
function place(at: string) {
  const isForeign = at.includes("#");
  const [object = "", ...path] = at.split(isForeign ? "#" : ".");
  return { object, path, isForeign };
}

function text(from: number, to: number, at: string): Column {
  return { from, to, kind: "text", ...place(at) };
}

function real(from: number, to: number, digits: number, at: string, places = 0): Column {
  return { from, to, kind: "real", digits, places, ...place(at) };
}

/** A number in units of the power of ten that the line names. */
function scaled(from: number, to: number, digits: number, at: string): Column {
  return { ...real(from, to, digits, at), isScaled: true };
}

function integer(from: number, to: number, at: string): Column {
  return { from, to, kind: "integer", ...place(at) };
}

function code(from: number, at: string, codes: Readonly<Record<string, CodedValue>>): Column {
  return { from, to: from, kind: "code", codes, ...place(at) };
}

export function nameOf({ path }: Column): string {
  return path.at(-1) ?? "";
}

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

const AUTHOR = "mechanism.creationInfo.author";

/** First line of a moment tensor: values in 10^scale N·m, stations of body and surface waves. */
export const TENSOR: readonly Column[] = [
  integer(12, 13, "line.scale"),
  scaled(15, 19, 3, "tensor.scalarMoment.value"),
  real(21, 25, 3, "tensor.clvd"),
  scaled(27, 32, 3, "tensor.tensor.Mrr.value"),
  scaled(34, 39, 3, "tensor.tensor.Mtt.value"),
  scaled(41, 46, 3, "tensor.tensor.Mpp.value"),
  scaled(48, 53, 3, "tensor.tensor.Mrt.value"),
  scaled(55, 60, 3, "tensor.tensor.Mtp.value"),
  scaled(62, 67, 3, "tensor.tensor.Mrp.value"),
  integer(69, 72, "body.stationCount"),
  integer(74, 77, "surface.stationCount"),
  text(79, 87, AUTHOR),
];

/** Second line of a moment tensor: uncertainties in the first one's unit, components, duration in s. */
export const TENSOR_ERRORS: readonly Column[] = [
  scaled(15, 19, 3, "tensor.scalarMoment.uncertainty"),
  real(21, 25, 3, "tensor#clvdUncertainty"),
  scaled(27, 32, 3, "tensor.tensor.Mrr.uncertainty"),
  scaled(34, 39, 3, "tensor.tensor.Mtt.uncertainty"),
  scaled(41, 46, 3, "tensor.tensor.Mpp.uncertainty"),
  scaled(48, 53, 3, "tensor.tensor.Mrt.uncertainty"),
  scaled(55, 60, 3, "tensor.tensor.Mtp.uncertainty"),
  scaled(62, 67, 3, "tensor.tensor.Mrp.uncertainty"),
  integer(69, 72, "body.componentCount"),
  integer(74, 77, "surface.componentCount"),
  real(79, 86, 2, "tensor.sourceTimeFunction.duration"),
];

/** A nodal plane; what is said of the mechanism stands in the first plane's line. */
export const PLANE: readonly Column[] = [
  text(16, 18, "mechanism#solutionType"),
  real(20, 25, 2, "plane.strike.value"),
  real(27, 31, 2, "plane.dip.value"),
  real(33, 39, 2, "plane.rake.value"),
  integer(41, 43, "mechanism.stationPolarityCount"),
  integer(45, 47, "mechanism#shearPolarityCount"),
  text(49, 53, "line.plane"),
  text(55, 63, AUTHOR),
];

/** Principal axes: lengths in 10^scale N·m; ISF calls the null axis B. */
export const AXES: readonly Column[] = [
  integer(11, 12, "line.scale"),
  scaled(14, 19, 3, "axes.tAxis.length.value"),
  real(21, 26, 2, "axes.tAxis.azimuth.value"),
  real(28, 32, 2, "axes.tAxis.plunge.value"),
  scaled(34, 39, 3, "axes.nAxis.length.value"),
  real(41, 46, 2, "axes.nAxis.azimuth.value"),
  real(48, 52, 2, "axes.nAxis.plunge.value"),
  scaled(54, 59, 3, "axes.pAxis.length.value"),
  real(61, 66, 2, "axes.pAxis.azimuth.value"),
  real(68, 72, 2, "axes.pAxis.plunge.value"),
  text(74, 82, AUTHOR),
];

/** Uncertainties of principal axes, lengths in the unit of the line before. */
export const AXES_ERRORS: readonly Column[] = [
  scaled(15, 19, 3, "axes.tAxis.length.uncertainty"),
  real(21, 26, 2, "axes.tAxis.azimuth.uncertainty"),
  real(28, 32, 2, "axes.tAxis.plunge.uncertainty"),
  scaled(35, 39, 3, "axes.nAxis.length.uncertainty"),
  real(41, 46, 2, "axes.nAxis.azimuth.uncertainty"),
  real(48, 52, 2, "axes.nAxis.plunge.uncertainty"),
  scaled(55, 59, 3, "axes.pAxis.length.uncertainty"),
  real(61, 66, 2, "axes.pAxis.azimuth.uncertainty"),
  real(68, 72, 2, "axes.pAxis.plunge.uncertainty"),
  real(74, 78, 3, "mechanism#axesClvd"),
];

/** An object of a bulletin while it is put together. */
export type Draft = { [name: string]: unknown; foreign?: Foreign[] };

/** The objects that a line makes. */
export type Drafts = { [object: string]: Draft };

/** The objects of which a line is made. */
export type LineObjects = { readonly [object: string]: object | undefined };

export function draftOf(drafts: Drafts, object: string): Draft {
  drafts[object] ??= {};
  return drafts[object];
}

export function put(drafts: Drafts, { object, path, isForeign }: Column, value: unknown): void {
  let at = draftOf(drafts, object);
  for (const [i, name] of path.entries()) {
    if (isForeign) putForeign(at, name, String(value));
    else if (i === path.length - 1) at[name] = value;
    else {
      at[name] ??= {};
      at = at[name] as Draft;
    }
  }
}

export function valueAt(objects: LineObjects, { object, path, isForeign }: Column): unknown {
  const one = objects[object];
  if (isForeign) return ownText(one, path[0] ?? "");
  return path.reduce<unknown>((at, name) => (at as Draft | undefined)?.[name], one);
}

/** Adds what QuakeML has no place for, under the service's own namespace. */
export function putForeign(draft: Draft, name: string, text: string): void {
  draft.foreign ??= [];
  draft.foreign.push(own(name, text));
}

type WithForeign = { readonly foreign?: readonly Foreign[] };

/** The text of an object's own foreign element. */
export function ownText(object: WithForeign | undefined, name: string): string | undefined {
  return object?.foreign?.find((one) => isOwn(one) && one.name === name)?.text;
}

export function ownTexts(object: WithForeign, name: string): readonly string[] {
  return (object.foreign ?? []).flatMap((one) =>
    isOwn(one) && one.name === name ? [one.text ?? ""] : [],
  );
}

export function isOwn({ ns, attribute }: Foreign): boolean {
  return ns === OWN_NAMESPACE && attribute === undefined;
}

/** Adds comments, in their order. */
export function putComments(object: Draft, comments: readonly string[]): void {
  if (comments.length > 0) object["comment"] = comments.map((text) => ({ text }));
}

export function hasValue(quantity: unknown): boolean {
  return (quantity as Draft | undefined)?.["value"] !== undefined;
}
