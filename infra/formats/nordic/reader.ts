import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { filled, own, ownValues, present, serviceId } from "../bulletin/members.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import {
  columnsOf,
  FaultyLine,
  integerIn,
  numberIn,
  required,
  type TextLine,
} from "../lines/fixed-columns.ts";
import { degreesEast, degreesOfKm, isoTime, KM_TO_M } from "../lines/values.ts";
import { readPhases } from "./phase-lines.ts";

/** A line has 80 columns, of phases the last may be left out. */
const LEAST_COLUMNS = 79;
/** So many lines of nothing but hypocentres are a list of events. */
const LIST_LINES = 100;
const LIST_CHARACTERS = LIST_LINES * 100;
/** Most ids remembered to find repeated ones. */
const MAX_REMEMBERED = 500_000;
/** A line that ends in the middle may become a hypocentre. */
const BEGUN = /^(?: (?:\d{0,4}|\d{4} [ \d].*))?$/;

/**
 * A reader of SEISAN's Nordic format, old and new: an event ends with an empty line. A file of lines of
 * type 1 alone, without empty ones, is a list of events, each a line.
 */
export function createNordicReader(sink: RowSink): FormatReader {
  let head = "";
  /** Null while only hypocentres have come. */
  let isList: boolean | null = null;
  const nameOnce = createNames();
  const reader = createBlockReader(sink, {
    format: "nordic",
    end: "an empty line",
    mayEndAfter: ({ text }, isClosed) => isClosed && text.length >= LEAST_COLUMNS,
    place: (line, block) => placeOf(line, block, isList === true),
    read: (block, warn) => readNordic(block, (id) => nameOnce(id, block[0]?.number ?? 1, warn)),
  });

  function decide(isLast: boolean): void {
    isList = isListOfOrigins(head, isLast);
    if (isList === null) return;
    reader.write(head);
    head = "";
  }

  return {
    write(text) {
      if (isList !== null) {
        reader.write(text);
        return;
      }
      head += text;
      decide(false);
    },
    *end() {
      if (isList === null) decide(true);
      return yield* reader.end();
    },
  };
}

/** True for a file that has a hypocentre or a heading of phases in its first lines. */
export function isNordic(lines: readonly string[]): boolean {
  return lines.some((line) => isOriginLine(line) || versionIn(line) !== undefined);
}

/** Null where more text decides. */
function isListOfOrigins(head: string, isLast: boolean): boolean | null {
  const lines = head.split(/\r\n?|\n/);
  const rest = lines.pop() ?? "";
  if (!lines.every(isOriginLine)) return false;
  if (!isLast) return head.length < LIST_CHARACTERS ? null : lines.length >= LIST_LINES;
  if (rest === "" || isOriginLine(rest)) return true;
  return lines.length > 1 && BEGUN.test(rest);
}

function placeOf({ text }: TextLine, block: readonly TextLine[], isList: boolean): LinePlace {
  const isOpen = block.length > 0;
  if (text.trim() === "") return isOpen ? "last" : "outside";
  return isList && !isOpen && isOriginLine(text) ? "last" : "within";
}

/** Events of one file that have the same id get different ones: they are different events. */
function createNames() {
  const names = new Map<string, number>();
  return (id: string, line: number, warn: (line: number, message: string) => void): string => {
    const count = (names.get(id) ?? 0) + 1;
    if (count > 1 || names.size < MAX_REMEMBERED) names.set(id, count);
    if (count === 1) return id;
    const name = `${id}-${count}`;
    warn(line, `the id ${id} was there before: this event's is ${name}`);
    return name;
  };
}

type Origin = QuakemlObject<"Origin">;

/**
 * The origins with what lines of type E (errors) and H (more digits) say of the last origin above them of
 * the agency that they name; where there is none, errors are of the first origin, which the program located,
 * and digits of the one above.
 * @throws FaultyLine
 */
function refineOrigins(
  origins: readonly PlacedOrigin[],
  lines: readonly TextLine[],
): readonly Origin[] {
  const refined = origins.map(({ origin }) => origin);
  /** The last origin above the line of each agency. */
  const last = new Map<string, number>();
  let above = 0;
  for (const line of lines) {
    const type = typeOf(line);
    const agency = type === "H" ? columnsOf(line, 61, 63) : columnsOf(line, 12, 14);
    for (let one = origins[above]; one && one.line < line.number; one = origins[above]) {
      last.set(one.agency, above);
      above += 1;
    }
    const unnamed = type === "H" ? Math.max(0, above - 1) : 0;
    const at = (agency === "" ? undefined : last.get(agency)) ?? unnamed;
    const origin = refined[at];
    if (origin !== undefined) refined[at] = (type === "H" ? withDigits : withErrors)(origin, line);
  }
  return refined;
}

function withDigits(origin: Origin, line: TextLine): Origin {
  const part = (from: number, to: number) => columnsOf(line, from, to);
  const clock = [part(12, 13) || "0", part(14, 15) || "0", part(17, 23) || "0"];
  const time = isoTime([part(2, 5), part(7, 8), part(9, 10), ...clock]);
  const standardError = numberIn(line, 54, 59);
  const value = <T extends object>(given: T | undefined, more: number | undefined) =>
    more === undefined ? given : { ...given, value: more };
  return {
    ...origin,
    time: {
      ...origin.time,
      value: required(line, time, "time of the calendar in columns 2 to 23"),
    },
    latitude: { ...origin.latitude, ...present({ value: numberIn(line, 24, 32) }) },
    longitude: { ...origin.longitude, ...present({ value: numberIn(line, 34, 43) }) },
    ...present({
      depth: value(origin.depth, numberIn(line, 45, 52, KM_TO_M)),
      quality: standardError === undefined ? origin.quality : { ...origin.quality, standardError },
    }),
  };
}

/** Errors of places are kilometres; 999.9 stands for one that is too large for its columns. */
function withErrors(origin: Origin, line: TextLine): Origin {
  const km = (from: number, to: number) => {
    const error = numberIn(line, from, to);
    return error === undefined || error >= 999.9 ? undefined : error;
  };
  const north = degreesOfKm(km(25, 30) ?? 0) || undefined;
  const east = degreesEast(km(33, 38) ?? 0, origin.latitude.value) || undefined;
  const depth = km(39, 43) === undefined ? undefined : numberIn(line, 39, 43, KM_TO_M);
  const azimuthalGap = integerIn(line, 6, 8);
  const kept = ownValues("errors", {
    covarianceXY: columnsOf(line, 44, 55),
    covarianceXZ: columnsOf(line, 56, 67),
    covarianceYZ: columnsOf(line, 68, 79),
  });
  return {
    ...origin,
    time: { ...origin.time, ...present({ uncertainty: numberIn(line, 15, 20) }) },
    latitude: { ...origin.latitude, ...present({ uncertainty: north }) },
    longitude: { ...origin.longitude, ...present({ uncertainty: east }) },
    ...(origin.depth && { depth: { ...origin.depth, ...present({ uncertainty: depth }) } }),
    ...(azimuthalGap !== undefined && { quality: { ...origin.quality, azimuthalGap } }),
    ...present({ foreign: [...(origin.foreign ?? []), ...kept] }),
  };
}

const COMPONENTS = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const;

/**
 * Two lines of type M: when and where the centroid is, with its magnitude; and the tensor in N·m.
 * @throws FaultyLine
 */
function readTensor(
  [first, second]: readonly [TextLine, TextLine | undefined],
  context: MechanismContext,
) {
  if (second === undefined || columnsOf(second, 2, 3) !== "MT") {
    throw new FaultyLine(first.number, "the first line of a moment tensor has no second");
  }
  const { eventID } = context;
  const centroid = readPlace(first, serviceId(eventID, "origin", context.origins));
  const origin = centroid === null ? undefined : { ...centroid, type: "centroid" as const };
  const derivedOriginID = origin?.publicID ?? context.originID;
  const magnitudeID = serviceId(eventID, "magnitude", context.magnitudes);
  const magnitude = readMagnitude(first, magnitudeID, derivedOriginID);
  const moment = numberIn(second, 53, 62);
  const exponent = integerIn(second, 50, 51) ?? 0;
  const quantities = COMPONENTS.map((name, i) => {
    const at = 4 + 7 * i;
    return [name, { value: required(second, numberIn(second, at, at + 5, exponent), name) }];
  });
  const momentTensor: QuakemlObject<"MomentTensor"> = {
    publicID: serviceId(eventID, "momentTensor", context.mechanisms),
    derivedOriginID,
    ...present({
      momentMagnitudeID: magnitude?.publicID,
      scalarMoment: moment === undefined ? undefined : { value: moment },
    }),
    tensor: Object.fromEntries(quantities) as QuakemlObject<"Tensor">,
  };
  return {
    origin,
    magnitude,
    focalMechanism: {
      publicID: serviceId(eventID, "focalMechanism", context.mechanisms),
      momentTensor: [momentTensor],
      triggeringOriginID: context.originID,
      ...madeBy(first, columnsOf(first, 46, 48), {}),
    },
  };
}

function readMagnitude(
  line: TextLine,
  publicID: string,
  originID: string,
): QuakemlObject<"Magnitude"> | undefined {
  const value = numberIn(line, 56, 59);
  if (value === undefined) return undefined;
  const agencyID = columnsOf(line, 61, 63);
  return {
    publicID,
    mag: { value },
    ...present({ type: magnitudeTypeOf(columnsOf(line, 60)) }),
    originID,
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
  };
}

/** SEISAN before version 8 has one whole number after the angles, of polarities that do not fit. */
const OLD_PLANE = /^ *\d+ *$/;

/**
 * A line of type F: a fault plane, and how well it fits.
 * @throws FaultyLine
 */
function readPlane(
  line: TextLine,
  { eventID, originID, mechanisms }: MechanismContext,
): QuakemlObject<"FocalMechanism"> {
  const isOld = OLD_PLANE.test(line.text.slice(30, 66));
  const angle = (name: string, from: number, at: number) => ({
    value: required(line, numberIn(line, from, from + 9), name),
    ...present({ uncertainty: isOld ? undefined : numberIn(line, at, at + 4) }),
  });
  return {
    publicID: serviceId(eventID, "focalMechanism", mechanisms),
    triggeringOriginID: originID,
    nodalPlanes: {
      nodalPlane1: {
        strike: angle("strike", 1, 31),
        dip: angle("dip", 11, 36),
        rake: angle("rake", 21, 41),
      },
    },
    ...present({
      misfit: isOld ? undefined : numberIn(line, 46, 50),
      stationDistributionRatio: isOld ? undefined : numberIn(line, 51, 55),
    }),
    ...madeBy(line, columnsOf(line, 67, 69), {
      amplitudeRatioFit: isOld ? "" : columnsOf(line, 56, 60),
      badPolarities: isOld ? columnsOf(line, 31, 36) : columnsOf(line, 61, 62),
      badAmplitudeRatios: isOld ? "" : columnsOf(line, 64, 65),
    }),
  };
}

/** SEISAN's letters of kinds of events. */
const EVENT_TYPES = new Map<string, Pick<Bulletin, "type" | "typeCertainty">>([
  ["Q", { type: "earthquake", typeCertainty: "known" }],
  ["E", { type: "explosion", typeCertainty: "known" }],
  ["P", { type: "explosion", typeCertainty: "suspected" }],
  ["V", { type: "volcanic eruption" }],
  ["I", { type: "induced or triggered event" }],
  ["L", { type: "landslide" }],
  ["X", { type: "landslide" }],
  ["O", { type: "other event" }],
]);

/** Lines of these types are read whole. */
const READ = ["1", "E", "H", "F", "M", "3", "7", "4", " "];

/**
 * An event in the Nordic format. The first line of type 1 has the preferred origin; which magnitude is
 * shown the rule of all bulletins says.
 * @param block its lines, with the empty one that ends it, or the line of a list
 * @param nameOf gives the event's id for the one that the file has, or that is made of its text
 * @throws FaultyLine
 */
function readNordic(block: readonly TextLine[], nameOf: (id: string) => string): Bulletin {
  const lines = block.filter(({ text }) => text.trim() !== "");
  const ofType = (...types: string[]) => lines.filter((line) => types.includes(typeOf(line)));
  const [first] = ofType("1");
  if (first === undefined) {
    throw new FaultyLine(block[0]?.number ?? 1, "the event has no line of type 1, so no time");
  }
  const given = ofType("I")
    .map((line) => columnsOf(line, 61, 74))
    .find((id) => id !== "");
  const text = lines.map((line) => line.text).join("\n");
  const publicID = given === undefined ? serviceId(text, "event", 0) : nameOf(given);
  const headers = readOrigins(ofType("1"), publicID);
  const origins = refineOrigins(headers.origins, ofType("E", "H"));
  const [heading] = ofType("7");
  const phases = readPhases(ofType("4", " "), publicID, readOriginTime(first), {
    version: heading && versionIn(heading.text),
    hasNoise: heading?.text.slice(56, 63).includes("SNR") ?? false,
  });
  const solutions = readSolutions(ofType("F", "M"), publicID, headers);
  const [preferred, ...others] = origins;
  return {
    publicID,
    ...present({
      comment: ofType("3").flatMap((line) => {
        const text = columnsOf(line, 2, 79);
        return text === "" ? [] : [{ text }];
      }),
      focalMechanism: solutions.focalMechanism,
      amplitude: phases.amplitude,
      magnitude: [...headers.magnitudes, ...solutions.magnitude],
      origin:
        preferred === undefined
          ? []
          : [
              { ...preferred, ...present({ arrival: phases.arrival }) },
              ...others,
              ...solutions.origin,
            ],
      pick: phases.pick,
      preferredOriginID: preferred?.publicID,
    }),
    ...EVENT_TYPES.get(columnsOf(first, 23)),
    ...present({ foreign: [...headers.foreign, ...phases.foreign, ...otherLines(lines)] }),
  };
}

function readSolutions(
  lines: readonly TextLine[],
  eventID: string,
  headers: ReturnType<typeof readOrigins>,
) {
  const focalMechanism: QuakemlObject<"FocalMechanism">[] = [];
  const origin: QuakemlObject<"Origin">[] = [];
  const magnitude: QuakemlObject<"Magnitude">[] = [];
  const originID = headers.origins[0]?.origin.publicID;
  if (originID === undefined) return { focalMechanism, origin, magnitude };
  for (const [i, line] of lines.entries()) {
    if (typeOf(line) === "M" && columnsOf(line, 2, 3) === "MT") continue;
    const context = {
      eventID,
      originID,
      origins: headers.origins.length + origin.length,
      magnitudes: headers.magnitudes.length + magnitude.length,
      mechanisms: focalMechanism.length,
    };
    if (typeOf(line) === "F") {
      focalMechanism.push(readPlane(line, context));
      continue;
    }
    const solution = readTensor([line, lines[i + 1]], context);
    focalMechanism.push(solution.focalMechanism);
    if (solution.origin !== undefined) origin.push(solution.origin);
    if (solution.magnitude !== undefined) magnitude.push(solution.magnitude);
  }
  return { focalMechanism, origin, magnitude };
}

/** Felt effects, waveform files, the event's administration and whatever else: a line each. */
function otherLines(lines: readonly TextLine[]): Foreign[] {
  return lines.flatMap((line) => {
    const type = typeOf(line);
    if (READ.includes(type)) return [];
    return [{ ...own("line", columnsOf(line, 2, 79)), attributes: [{ name: "type", text: type }] }];
  });
}

/** A date, the kind of distance in column 22, and the type in the last column. */
const ORIGIN = /^ \d{4} [ \d]\d[ \d]\d.[ \d]{4}.[ \d.]{4}.[LRD].{57}1$/;
/** The headings of the phases of either version. */
const HEADING = /^ STAT (SP|COM NTLO) *IPHAS.*7$/;

/** The character in column 80, a blank for phases, which may be shorter. */
function typeOf({ text }: TextLine): string {
  return text.charAt(79) || " ";
}

/** True for a line of type 1 that says when and how far away an event was. */
function isOriginLine(text: string): boolean {
  return ORIGIN.test(text.trimEnd());
}

/** Which version of phases a heading is of, undefined for another line. */
function versionIn(text: string): "old" | "new" | undefined {
  const columns = HEADING.exec(text.trimEnd())?.[1];
  if (columns === undefined) return undefined;
  return columns === "SP" ? "old" : "new";
}

type MechanismContext = {
  readonly eventID: string;
  /** The preferred origin. */
  readonly originID: string;
  /** Places of the next origin, magnitude and mechanism. */
  readonly origins: number;
  readonly magnitudes: number;
  readonly mechanisms: number;
};

/**
 * Who made a mechanism and how; program and quality stand in the same columns of planes and tensors.
 * @param values what the model has no place for
 */
function madeBy(line: TextLine, agencyID: string, values: Readonly<Record<string, string>>) {
  const program = columnsOf(line, 71, 77);
  const quality = columnsOf(line, 78);
  return {
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
    ...present({ foreign: ownValues("solution", { ...values, program, quality }) }),
  };
}

/** An origin with the line that it stands on. */
type PlacedOrigin = {
  readonly line: number;
  readonly agency: string;
  readonly origin: QuakemlObject<"Origin">;
};

/**
 * The lines of type 1: each an origin with up to three magnitudes. One of an agency that has an
 * origin already, without a place or with the same one, has further magnitudes of it.
 * @throws FaultyLine
 */
function readOrigins(lines: readonly TextLine[], eventID: string) {
  const origins: PlacedOrigin[] = [];
  const magnitudes: QuakemlObject<"Magnitude">[] = [];
  /** Lines without a place that are no continuation of another. */
  const foreign: Foreign[] = [];
  /** The first origins of each agency, and of each of its places: an event may have 100,000 of them. */
  const first = new Map<string, PlacedOrigin>();
  for (const line of lines) {
    const agency = columnsOf(line, 46, 48);
    const origin = readOrigin(line, serviceId(eventID, "origin", origins.length));
    const known = first.get(placeName(agency, origin));
    if (known === undefined && origin !== null) {
      const placed = { line: line.number, agency, origin };
      origins.push(placed);
      for (const name of [placeName(agency, null), placeName(agency, origin)]) {
        if (!first.has(name)) first.set(name, placed);
      }
    }
    if (known === undefined && origin === null) foreign.push(own("hypocentre", line.text.trim()));
    const originID = (known?.origin ?? origin)?.publicID;
    for (const magnitude of readMagnitudes(line)) {
      const publicID = serviceId(eventID, "magnitude", magnitudes.length);
      magnitudes.push({ publicID, ...magnitude, ...present({ originID }) });
    }
  }
  return { origins, magnitudes, foreign };
}

/** Of a line without a place the origin is null. */
function placeName(agency: string, origin: QuakemlObject<"Origin"> | null): string {
  if (origin === null) return agency;
  const { latitude, longitude, time } = origin;
  return `${agency} ${latitude.value} ${longitude.value} ${time.value}`;
}

/** @returns null without a place */
function readOrigin(line: TextLine, publicID: string): QuakemlObject<"Origin"> | null {
  const placed = readPlace(line, publicID);
  if (placed === null) return null;
  const depthFlag = columnsOf(line, 44);
  const placeFlag = columnsOf(line, 45);
  return {
    ...placed,
    ...(depthFlag === "F" && { depthType: "operator assigned" }),
    ...(columnsOf(line, 11) === "F" && { timeFixed: true }),
    ...(placeFlag === "F" && { epicenterFixed: true }),
    ...present({
      quality: filled({
        usedStationCount: integerIn(line, 49, 51),
        standardError: numberIn(line, 52, 55),
      }),
      foreign: ownValues("hypocentre", {
        model: columnsOf(line, 21),
        distance: columnsOf(line, 22),
        event: columnsOf(line, 23),
        depth: depthFlag === "F" ? "" : depthFlag,
        place: placeFlag === "F" ? "" : placeFlag,
      }),
    }),
  };
}

function readMagnitudes(line: TextLine): Omit<QuakemlObject<"Magnitude">, "publicID">[] {
  return [56, 64, 72].flatMap((at) => {
    const value = numberIn(line, at, at + 3);
    if (value === undefined) return [];
    const agencyID = columnsOf(line, at + 5, at + 7);
    return [
      {
        mag: { value },
        ...present({ type: magnitudeTypeOf(columnsOf(line, at + 4)) }),
        ...(agencyID !== "" && { creationInfo: { agencyID } }),
      },
    ];
  });
}

/**
 * What lines of type 1 and the first of type M begin with: time, place and agency of an origin.
 * @returns null without a place
 * @throws FaultyLine
 */
function readPlace(line: TextLine, publicID: string): QuakemlObject<"Origin"> | null {
  const [latitude, longitude] = [numberIn(line, 24, 30), numberIn(line, 31, 38)];
  if (latitude === undefined || longitude === undefined) return null;
  const depth = numberIn(line, 39, 43, KM_TO_M);
  const agencyID = columnsOf(line, 46, 48);
  return {
    publicID,
    time: { value: readOriginTime(line) },
    longitude: { value: longitude },
    latitude: { value: latitude },
    ...(depth !== undefined && { depth: { value: depth } }),
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
  };
}

/** @throws FaultyLine */
function readOriginTime(line: TextLine): string {
  const part = (from: number, to: number) => columnsOf(line, from, to);
  const parts = [part(2, 5), part(7, 8), part(9, 10), part(12, 13) || "0", part(14, 15) || "0"];
  const time = isoTime([...parts, part(17, 20) || "0"]);
  return required(line, time, "time of the calendar in columns 2 to 20");
}

/** SEISAN's letters of magnitudes, in which upper and lower case differ. */
const TYPES = new Map([
  ["L", "ML"],
  ["l", "Ml"],
  ["b", "mb"],
  ["B", "mB"],
  ["s", "Ms"],
  ["S", "MS"],
  ["W", "Mw"],
  ["w", "Mw"],
  ["C", "Mc"],
  ["G", "mbLg"],
  ["N", "MN"],
  ["n", "Mn"],
]);

/** The type that a letter stands for, the letter itself where it is not known; undefined for a blank. */
function magnitudeTypeOf(letter: string): string | undefined {
  return letter === "" ? undefined : (TYPES.get(letter) ?? letter);
}
