import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { isServiceId } from "../bulletin/members.ts";
import { REGION_DESCRIPTIONS } from "../bulletin/row.ts";
import type { BulletinWriter } from "../format-writer.ts";
import { HEADERS, MECHANISM_HEADERS, PREFERRED } from "./blocks.ts";
import {
  AXES,
  AXES_ERRORS,
  type Column,
  type Draft,
  type LineObjects,
  MAGNITUDE,
  ORIGIN,
  ownText,
  ownTexts,
  PLANE,
  TENSOR,
  TENSOR_ERRORS,
  valueAt,
} from "./columns.ts";
import {
  countLeft,
  countLeftIn,
  hasCells,
  heldBy,
  isLineOfBlock,
  type Losses,
  lose,
  lossLines,
  type Mechanism,
  NO_OTHER_AUTHOR,
  noLosses,
  type Origin,
  shortEventId,
  type WritingEvent,
  withAuthor,
  withoutAuthor,
  writeColumns,
  writeComments,
  writingEvent,
} from "./line-writer.ts";
import { writePhases } from "./phase-writer.ts";
import { CONFIDENCE, eventTypeOf, lettersOf, MODES, writtenTime } from "./values.ts";

/**
 * A writer of bulletins in ISF 2.1 (IASPEI Seismic Format): origins, magnitudes, mechanisms and phases of
 * each event in the columns that the reader knows. Comments after `STOP`, where no reader looks for
 * values, count what the columns have no room for.
 * @param title of the bulletin, for people
 */
export function createIsfWriter(title: string): BulletinWriter {
  const losses = noLosses();
  const head = title.replaceAll(UNPRINTABLE, " ").trim();
  return {
    begin: () =>
      [
        "BEGIN IMS2.0",
        "DATA_TYPE BULLETIN IMS1.0:short with ISF2.1 extensions",
        // The line below is a title whatever it says, but must not be taken for an event's.
        `Bulletin ${head}`.trimEnd(),
        "",
        "",
      ].join("\n"),
    event: (bulletin) => writeEvent(bulletin, losses),
    end: () => `STOP\n${lossLines(losses)}`,
  };
}

const PREFERRED_LINE = ` (${PREFERRED})\n`;
const UNPRINTABLE = /[\s\p{Cc}]+/gu;

const MAGNITUDE_HELD = heldBy(MAGNITUDE, "magnitude", {
  ...NO_OTHER_AUTHOR,
  publicID: true,
  originID: true,
});

/** The lines of an event, from its title on; what they leave out is added to `losses`. */
function writeEvent(bulletin: Bulletin, losses: Losses): string {
  const event = writingEvent(bulletin, losses);
  const { publicID } = bulletin;
  const id = shortEventId(publicID);
  if (id !== publicID && !isServiceId(publicID)) losses.ids++;
  const magnitudes = writeMagnitudes(event);
  const title = `Event ${id.padEnd(8)} ${regionOf(event)}`.trimEnd();
  const text =
    `${title}\n\n${writeOrigins(event)}` +
    writeKept(event, "bibliography") +
    magnitudes +
    writeKept(event, "effects") +
    writePhases(event);
  countEvent(bulletin, magnitudes.includes(PREFERRED_LINE), losses);
  losses.ids += event.originIds.replaced() + event.pickIds.replaced();
  return `${text}\n`;
}

function regionOf({ bulletin, losses }: WritingEvent): string {
  const { description: all = [] } = bulletin;
  const named = REGION_DESCRIPTIONS.flatMap((type) => all.filter((one) => one.type === type))[0];
  lose(losses.values, "event", countLeftIn(all.filter((one) => one !== named)));
  const text = named?.text ?? "";
  const region = text.trim().replaceAll(UNPRINTABLE, " ");
  if (region !== text) losses.rounded++;
  return region;
}

function writeMagnitudes(event: WritingEvent): string {
  const { bulletin, losses } = event;
  let lines = "";
  for (const magnitude of bulletin.magnitude ?? []) lines += writeMagnitude(magnitude, event);
  for (const line of ownTexts(bulletin, "magnitude")) {
    if (isLineOfBlock(line) && !line.trimStart().startsWith("(")) lines += `${line}\n`;
    else lose(losses.values, "event");
  }
  return lines === "" ? "" : `\n${HEADERS.magnitudes}\n${lines}`;
}

function writeMagnitude(magnitude: QuakemlObject<"Magnitude">, event: WritingEvent): string {
  const { bulletin, losses, originIds } = event;
  const { originID } = magnitude;
  const originId = originID === undefined ? undefined : originIds.of(originID);
  const objects = { line: { originId }, magnitude: withAuthor(magnitude) };
  const line = writeColumns(MAGNITUDE, objects, losses);
  const isWhole = hasCells(line, MAGNITUDE, ["magnitude.mag.value"]);
  if (!isWhole || !isLineOfBlock(line) || line.startsWith("(")) {
    lose(losses.objects, "magnitude");
    return "";
  }
  const { comment, ...rest } = withoutAuthor(magnitude);
  lose(losses.values, "magnitude", countLeft(rest, MAGNITUDE_HELD));
  // Of several with an id, the first is meant.
  const named = bulletin.magnitude?.find((one) => one.publicID === bulletin.preferredMagnitudeID);
  const preferred = magnitude === named ? PREFERRED_LINE : "";
  return `${line}\n${preferred}${writeComments(comment, "magnitude", losses)}`;
}

/** A block whose lines were kept as they stood. */
function writeKept({ bulletin, losses }: WritingEvent, block: "effects" | "bibliography"): string {
  const lines = ownTexts(bulletin, block).filter((line) => {
    const isWhole = isLineOfBlock(line);
    if (!isWhole) lose(losses.values, "event");
    return isWhole;
  });
  return lines.length === 0 ? "" : `\n${[HEADERS[block], ...lines].join("\n")}\n`;
}

const EVENT_HELD = heldBy([], "event", {
  publicID: true,
  preferredOriginID: true,
  "#origin": true,
  "#magnitude": true,
  "#phase": true,
  "#effects": true,
  "#bibliography": true,
});

/** Counts what is the event's own and has no line; its lists are counted where they are written. */
function countEvent(bulletin: Bulletin, isPreferredTold: boolean, losses: Losses): void {
  const { comment = [], type, typeCertainty, preferredMagnitudeID, ...event } = bulletin;
  const own = Object.entries(event).filter(
    ([name, value]) => name === "foreign" || !Array.isArray(value),
  );
  const isTyped = lettersOf(bulletin) !== null;
  lose(losses.objects, "comment", comment.length);
  if (!isPreferredTold) lose(losses.values, "event", countLeft({ preferredMagnitudeID }));
  if (!isTyped && type === undefined) lose(losses.values, "event", countLeft({ typeCertainty }));
  lose(losses.values, "event", countLeft(Object.fromEntries(own), EVENT_HELD));
}

const TIME_DIGITS = 2;

const isNinety = (value: unknown) => value === CONFIDENCE;

const ORIGIN_HELD = heldBy(ORIGIN, "origin", {
  ...NO_OTHER_AUTHOR,
  publicID: true,
  "time.value": true,
  "depth.confidenceLevel": isNinety,
  type: (value) => value === "centroid",
  timeFixed: (value) => value === true,
  epicenterFixed: (value) => value === true,
  evaluationMode: true,
  "#analysis": true,
  "#eventType": true,
  "#mechanism": true,
});
const ELLIPSE_HELD = heldBy(ORIGIN, "ellipse", {
  preferredDescription: (value) => value === "uncertainty ellipse",
  confidenceLevel: isNinety,
});

/** The block of origins, each with its comments and the mechanisms that belong to it. */
function writeOrigins(event: WritingEvent): string {
  const { bulletin, losses } = event;
  const mechanisms = mechanismsOf(event);
  let text = `${HEADERS.origins}\n`;
  for (const origin of event.origins) {
    const line = lineOf(origin, event);
    if (line === null) {
      lose(losses.objects, "origin");
      continue;
    }
    text += `${line}\n`;
    if (origin === event.preferred) text += " (#PRIME)\n";
    if (origin.type === "centroid") text += " (#CENTROID)\n";
    text += writeComments(origin.comment, "origin", losses);
    for (const one of mechanisms.get(origin) ?? []) text += writeMechanism(one, losses);
    for (const kept of ownTexts(origin, "mechanism")) text += keptMechanism(kept, event);
  }
  for (const kept of ownTexts(bulletin, "origin")) text += keptOrigin(kept, event);
  return text;
}

/** Null for an origin whose time is none. */
function lineOf(origin: Origin, event: WritingEvent): string | null {
  const time = writtenTime(origin.time.value, TIME_DIGITS);
  if (time === null) return null;
  const { losses } = event;
  if (!time.isExact) losses.rounded++;
  const [first, ...others] = origin.originUncertainty ?? [];
  const isEllipse = first !== undefined && isOfConfidence(first.confidenceLevel);
  const { depth } = origin;
  const isDepthHeld = depth === undefined || isOfConfidence(depth.confidenceLevel);
  const objects = {
    line: {
      date: time.date,
      time: time.clock,
      analysis: analysisOf(origin),
      eventType: eventTypeIn(origin, event),
      id: event.idOf(origin),
    },
    origin: {
      ...withAuthor(origin),
      ...(!isDepthHeld && { depth: { value: depth.value } }),
    },
    ...(isEllipse && { ellipse: first }),
  };
  const { comment, arrival, originUncertainty, depth: _, ...rest } = withoutAuthor(origin);
  const heldDepth = isDepthHeld ? { depth } : {};
  const unheldDepth = isDepthHeld ? {} : { ...depth, value: undefined };
  const left =
    countLeft({ ...rest, ...heldDepth }, ORIGIN_HELD) +
    countLeft(unheldDepth) +
    countLeft(first ?? {}, isEllipse ? ELLIPSE_HELD : undefined) +
    countLeftIn(others);
  lose(losses.values, "origin", left);
  return writeColumns(ORIGIN, objects, losses);
}

/** ISF's errors are of 90 %; those of which nothing is said are taken for such. */
function isOfConfidence(level: number | undefined): boolean {
  return level === undefined || level === CONFIDENCE;
}

function analysisOf(origin: Origin): string | undefined {
  const given = ownText(origin, "analysis");
  const mode = origin.evaluationMode;
  if (given !== undefined && MODES[given.toLowerCase()] === mode) return given;
  return Object.keys(MODES).find((letter) => MODES[letter] === mode) ?? given;
}

/** The letters as given, for the preferred origin only where they say what the event's type is. */
function eventTypeIn(origin: Origin, { bulletin, origins, preferred, losses }: WritingEvent) {
  const given = ownText(origin, "eventType");
  if (origin !== preferred) return given;
  const { type, typeCertainty } = bulletin;
  const said = given === undefined ? undefined : eventTypeOf(given);
  if (given !== undefined && said?.type === type && said?.typeCertainty === typeCertainty) {
    return given;
  }
  const letters = lettersOf(bulletin);
  if (letters === null) lose(losses.values, "event", countLeft({ type, typeCertainty }));
  const isSaidOfOthers = origins.some((one) => ownText(one, "eventType"));
  return letters ?? (isSaidOfOthers ? "uk" : undefined);
}

/** The line and the comments of an origin without a place, as they came. */
function keptOrigin(text: string, { losses }: WritingEvent): string {
  const [line = "", ...comments] = text.split("\n");
  const isWhole =
    isLineOfBlock(line) && /^\s*\d{4}[/-]/.test(line) && comments.every(isCommentLine);
  if (isWhole && !comments.some((one) => one.includes("#PRIME"))) return `${text}\n`;
  lose(losses.values, "event");
  return "";
}

function keptMechanism(text: string, { losses }: WritingEvent): string {
  if (text.split("\n").every(isCommentLine)) return `${text}\n`;
  lose(losses.values, "origin");
  return "";
}

function isCommentLine(text: string): boolean {
  return text.trim().startsWith("(") && !text.includes("\r");
}

const MAX_SCALE = 99;

const BESIDE = { ...NO_OTHER_AUTHOR, publicID: true, triggeringOriginID: true } as const;
const MECHANISM_HELD = heldBy([...PLANE, ...AXES, ...AXES_ERRORS], "mechanism", BESIDE);
/** What is said of the mechanism stands in the line of its first plane. */
const WITHOUT_PLANES = heldBy([...AXES, ...AXES_ERRORS], "mechanism", BESIDE);
const TENSOR_HELD = heldBy([...TENSOR, ...TENSOR_ERRORS], "tensor", {
  publicID: true,
  derivedOriginID: true,
  "sourceTimeFunction.type": (value) => value === "unknown",
});
const AXES_HELD = heldBy([...AXES, ...AXES_ERRORS], "axes");
const PLANE_HELD = heldBy(PLANE, "plane");
const DATA_HELD = heldBy(
  [...TENSOR, ...TENSOR_ERRORS].map((column) => ({ ...column, object: "data" })),
  "data",
  { waveType: (value) => value === "body waves" || value === "surface waves" },
);

/** The mechanisms by the origin below which they are written. */
function mechanismsOf({ bulletin, origins, preferred, losses }: WritingEvent) {
  const byOrigin = new Map<Origin, Mechanism[]>();
  for (const mechanism of bulletin.focalMechanism ?? []) {
    const id = mechanism.momentTensor?.[0]?.derivedOriginID ?? mechanism.triggeringOriginID;
    const named = origins.find(({ publicID }) => publicID === id);
    if (named === undefined && id !== undefined) lose(losses.values, "focalMechanism");
    const origin = named ?? preferred;
    if (origin === undefined) lose(losses.objects, "focalMechanism");
    else byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), mechanism]);
  }
  return byOrigin;
}

function writeMechanism(mechanism: Mechanism, losses: Losses): string {
  const { momentTensor = [], nodalPlanes, principalAxes, ...rest } = mechanism;
  const [tensor, ...tensors] = momentTensor;
  const author = withAuthor(mechanism);
  const lines = [
    tensor === undefined ? "" : writeTensor(tensor, author, losses),
    nodalPlanes?.nodalPlane1 === undefined ? "" : writePlanes(nodalPlanes, author, losses),
    principalAxes === undefined ? "" : writeAxes(principalAxes, author, losses),
  ];
  lose(losses.objects, "momentTensor", tensors.length);
  if (lines.every((line) => line === "")) {
    lose(losses.objects, "focalMechanism");
    return "";
  }
  const isHeld = nodalPlanes?.nodalPlane1 !== undefined;
  const left = withoutAuthor(rest);
  lose(losses.values, "focalMechanism", countLeft(left, isHeld ? MECHANISM_HELD : WITHOUT_PLANES));
  return lines.join("");
}

function writeTensor(
  tensor: QuakemlObject<"MomentTensor">,
  mechanism: Draft,
  losses: Losses,
): string {
  const { dataUsed = [], comment = [], ...values } = tensor;
  const body = dataUsed.find(({ waveType }) => waveType === "body waves");
  const surface = dataUsed.find(({ waveType }) => waveType === "surface waves");
  const drafts = { tensor: values, mechanism, body, surface };
  const scale = scaleOf([...TENSOR, ...TENSOR_ERRORS], drafts);
  const objects = { ...drafts, line: { scale } };
  const left =
    countLeft(values, TENSOR_HELD) +
    countLeftIn(
      [body, surface].filter((data) => data !== undefined),
      DATA_HELD,
    ) +
    countLeftIn(dataUsed.filter((data) => data !== body && data !== surface)) +
    countLeftIn(comment);
  lose(losses.values, "momentTensor", left);
  const [header = "", errors = ""] = MECHANISM_HEADERS.MOMTENS;
  const first = writeColumns(TENSOR, objects, losses, scale);
  const second = writeColumns(TENSOR_ERRORS, objects, losses, scale);
  const needed = Object.keys(values.tensor ?? {}).map((name) => `tensor.tensor.${name}.value`);
  if (!hasCells(first, TENSOR, ["line.scale", ...needed])) return lost("momentTensor", losses);
  return ` ${header}\n ${errors}\n${commentLine("#", first, header)}${commentLine("#", second, header)}`;
}

function lost(kind: string, { objects }: Losses): "" {
  lose(objects, kind);
  return "";
}

function writePlanes(
  { nodalPlane1, nodalPlane2, preferredPlane, ...rest }: QuakemlObject<"NodalPlanes">,
  mechanism: Draft,
  losses: Losses,
): string {
  const [header = ""] = MECHANISM_HEADERS.FAULT_PLANE;
  const lineOf = (plane: object, place: number, said: Draft) => {
    const line = place === preferredPlane ? { plane: "FAULT" } : {};
    lose(losses.values, "nodalPlane", countLeft(plane, PLANE_HELD));
    return writeColumns(PLANE, { plane, mechanism: said, line }, losses);
  };
  const planes = [nodalPlane1, nodalPlane2].filter((plane) => plane !== undefined);
  const lines = planes.map((plane, i) => lineOf(plane, i + 1, i === 0 ? mechanism : {}));
  if (!lines.every((line) => hasCells(line, PLANE, PLANE_CELLS))) {
    return lost("nodalPlanes", losses);
  }
  const isKnown = preferredPlane === undefined || [1, planes.length].includes(preferredPlane);
  lose(losses.values, "nodalPlanes", countLeft(rest) + Number(!isKnown));
  return ` ${header}\n${lines.map((line, i) => commentLine(i === 0 ? "#" : "+", line, header)).join("")}`;
}

const PLANE_CELLS = ["plane.strike.value", "plane.dip.value", "plane.rake.value"];

function writeAxes(axes: QuakemlObject<"PrincipalAxes">, mechanism: Draft, losses: Losses): string {
  const scale = scaleOf([...AXES, ...AXES_ERRORS], { axes });
  const objects = { axes, mechanism, line: { scale } };
  lose(losses.values, "principalAxes", countLeft(axes, AXES_HELD));
  const [header = "", errors = ""] = MECHANISM_HEADERS.PRINAX;
  const second = writeColumns(AXES_ERRORS, objects, losses, scale);
  const first = writeColumns(AXES, objects, losses, scale);
  const needed = Object.keys(axes).flatMap((axis) =>
    ["azimuth", "plunge", "length"].map((member) => `axes.${axis}.${member}.value`),
  );
  if (!hasCells(first, AXES, ["line.scale", ...needed])) return lost("principalAxes", losses);
  if (second === "") return ` ${header}\n${commentLine("#", first, header)}`;
  return ` ${header}\n ${errors}\n${commentLine("#", first, header)}${commentLine("+", second, header)}`;
}

/** Puts a line's values between the parentheses of its header. */
function commentLine(mark: "#" | "+", values: string, header: string): string {
  return ` (${mark}${values.slice(3).padEnd(header.length - 3)})\n`;
}

/** The power of ten with which the greatest value has one digit before its point. */
function scaleOf(columns: readonly Column[], objects: LineObjects): number {
  const values = columns
    .filter(({ isScaled }) => isScaled)
    .map((column) => Math.abs(Number(valueAt(objects, column) ?? 0)));
  const greatest = Math.max(0, ...values.filter(Number.isFinite));
  if (greatest === 0) return 0;
  const [digits = "0", power = "0"] = greatest.toExponential(3).split("e");
  const scale = Number(power);
  return Number(digits) === 0 ? 0 : Math.min(Math.max(scale, 0), MAX_SCALE);
}
