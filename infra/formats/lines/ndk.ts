import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { filled, own, present, serviceId } from "../bulletin/members.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "./block-reader.ts";
import {
  columnsOf,
  FaultyLine,
  integerIn,
  numberIn,
  required,
  type TextLine,
} from "./fixed-columns.ts";
import { isoTime, KM_TO_M, laterBy } from "./values.ts";

/** A first line: its date stands in the same columns of each. */
const HYPOCENTRE = /^.{5}\d{4}\/[ \d]\d\/[ \d]\d /;
const CENTROID = /^CENTROID: *-?\d*\.\d/;
/** The exponent and the first component of a tensor. */
const TENSOR = /^\d\d +-?\d*\.\d/;

/** A reader of the Global CMT project's format `ndk`: five lines of 80 columns for each event. */
export function createNdkReader(sink: RowSink): FormatReader {
  return createBlockReader(sink, { format: "ndk", place, read: readNdk });
}

/** True for a file that has a centroid above its tensor in its first lines. */
export function isNdk(lines: readonly string[]): boolean {
  return lines.some((line, i) => CENTROID.test(line) && TENSOR.test(lines[i + 1] ?? ""));
}

function place({ text }: TextLine, block: readonly TextLine[]): LinePlace {
  if (text.trim() === "") return "outside";
  return HYPOCENTRE.test(text) || block.length % NDK_LINES === 0 ? "first" : "within";
}

/** Lines of an event. */
const NDK_LINES = 5;
/** The numbers of the fourth and fifth end at the last column. */
const COLUMNS = 80;

/** What the format's authors call their project. */
const AGENCY = "GCMT";

const REFERENCE_TIME = /^(\d{4})\/([ \d]\d)\/([ \d]\d) (\d?\d):([ \d]\d):([ \d]?\d\.\d*)$/;
/** `S-20050322125201`: a standard solution (`Q-`: a quick one), and when it was made. */
const STAMP = /^[A-Z]-(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;

/** How the centroid's depth was found. */
const DEPTH_TYPES = new Map<string, QuakemlObject<"Origin">["depthType"]>([
  ["FREE", "from moment tensor inversion"],
  ["FIX", "operator assigned"],
  ["BDY", "from modeling of broad-band P waveforms"],
]);

/**
 * An event of the Global CMT project's format `ndk`: the reference hypocentre with mb and MS, and
 * the centroid with the moment tensor and Mw, which is the preferred magnitude. It is kept without axes or a
 * plane that cannot be read, with a warning.
 * @param block its five lines
 * @throws FaultyLine
 */
function readNdk(
  block: readonly TextLine[],
  warn: (line: number, message: string) => void,
): Bulletin {
  const [first, second, third, fourth, fifth] = block;
  if (!first || !second || !third || !fourth || !fifth || block.length > NDK_LINES) {
    const message = `an event has ${NDK_LINES} lines, this one has ${block.length}`;
    throw new FaultyLine(block.at(-1)?.number ?? 1, message);
  }
  const short = [fourth, fifth].find(({ text }) => text.trimEnd().length < COLUMNS);
  if (short !== undefined) throw new FaultyLine(short.number, "the line is cut off");
  const publicID = required(second, columnsOf(second, 1, 16) || undefined, "name of the event");
  const creationInfo = readCreation(third, columnsOf(fifth, 1, 3));
  const hypocentre = readHypocentre(first, serviceId(publicID, "origin", 0));
  const centroid = readCentroid(third, hypocentre.time.value, serviceId(publicID, "origin", 1));
  const { focalMechanism, magnitude } = readTensor([second, fourth, fifth], {
    publicID,
    hypocentreID: hypocentre.publicID,
    centroidID: centroid.publicID,
    creationInfo,
    warn,
  });
  const place = columnsOf(first, 57, 80);
  return {
    publicID,
    ...(place !== "" && { description: [{ text: place, type: "Flinn-Engdahl region" as const }] }),
    focalMechanism: [focalMechanism],
    magnitude: [...reportedMagnitudes(first, publicID, hypocentre), magnitude],
    origin: [hypocentre, { ...centroid, creationInfo }],
    preferredOriginID: hypocentre.publicID,
    preferredMagnitudeID: magnitude.publicID,
    preferredFocalMechanismID: focalMechanism.publicID,
    creationInfo,
  };
}

function readHypocentre(line: TextLine, publicID: string): QuakemlObject<"Origin"> {
  const text = `${columnsOf(line, 6, 15)} ${columnsOf(line, 17, 26)}`;
  const time = isoTime(REFERENCE_TIME.exec(text)?.slice(1) ?? []);
  const agencyID = columnsOf(line, 1, 4);
  return {
    publicID,
    time: { value: required(line, time, "time of the calendar in columns 6 to 26") },
    longitude: { value: required(line, numberIn(line, 35, 41), "longitude") },
    latitude: { value: required(line, numberIn(line, 28, 33), "latitude") },
    depth: { value: required(line, numberIn(line, 43, 47, KM_TO_M), "depth") },
    type: "hypocenter",
    ...(agencyID !== "" && { creationInfo: { agencyID } }),
  };
}

/** mb and MS; 0.0 stands for none. */
function reportedMagnitudes(
  line: TextLine,
  eventID: string,
  { publicID: originID, creationInfo }: QuakemlObject<"Origin">,
): QuakemlObject<"Magnitude">[] {
  const columns = [
    ["mb", 49, 51],
    ["MS", 53, 55],
  ] as const;
  return columns.flatMap(([type, from, to], i) => {
    const value = numberIn(line, from, to);
    if (value === undefined || value === 0) return [];
    const publicID = serviceId(eventID, "magnitude", i);
    return [{ publicID, mag: { value }, type, originID, ...present({ creationInfo }) }];
  });
}

/** The third line's place and time; a centroid whose epicentre was held has no errors of it. */
function readCentroid(
  line: TextLine,
  reference: string,
  publicID: string,
): QuakemlObject<"Origin"> {
  if (!line.text.startsWith("CENTROID:")) {
    throw new FaultyLine(line.number, "an event's third line begins with CENTROID:");
  }
  const shift = required(line, numberIn(line, 11, 18), "time of the centroid");
  const quantity = (name: string, from: number, middle: number, to: number, places = 0) => ({
    value: required(line, numberIn(line, from, middle, places), name),
    ...present({ uncertainty: numberIn(line, middle + 1, to, places) }),
  });
  const latitude = quantity("latitude", 23, 29, 34);
  const longitude = quantity("longitude", 35, 42, 47);
  const kind = columnsOf(line, 60, 63);
  return {
    publicID,
    time: {
      value: required(line, laterBy(reference, columnsOf(line, 11, 18)), `time ${shift} s later`),
      ...present({ uncertainty: numberIn(line, 19, 22) }),
    },
    longitude,
    latitude,
    depth: quantity("depth", 48, 53, 58, KM_TO_M),
    ...present({ depthType: DEPTH_TYPES.get(kind) }),
    epicenterFixed: latitude.uncertainty === 0 && longitude.uncertainty === 0,
    type: "centroid",
    ...(kind !== "" && !DEPTH_TYPES.has(kind) && { foreign: [own("depthKind", kind)] }),
  };
}

/** The stamp says what kind of analysis it was and when, the version which program wrote the file. */
function readCreation(line: TextLine, version: string): QuakemlObject<"CreationInfo"> {
  const stamp = columnsOf(line, 65, 80);
  const creationTime = isoTime(STAMP.exec(stamp)?.slice(1) ?? []);
  return {
    agencyID: AGENCY,
    ...present({ creationTime: creationTime ?? undefined, version: version || undefined }),
    ...(stamp !== "" && { foreign: [own("stamp", stamp)] }),
  };
}

/** The file's moments are in dyne·cm. */
const DYNE_CM = -7;
/** IASPEI's, for a moment in N·m (Bormann and Di Giacomo, 2011). */
const MW_CONSTANT = 9.1;
/** Those with which the project publishes Mw; the moment itself has four. */
const MW_DIGITS = 1;
/** The version of the project's own program, whose Mw is that of its centroids. */
const OWN_PROGRAM = /^V\d/;

const WAVES = { B: "body waves", S: "surface waves", M: "mantle waves" } as const;
const INVERSIONS = { 0: "general", 1: "zero trace", 2: "double couple" } as const;
const FUNCTIONS = { TRIHD: "triangle", BOXHD: "box car" } as const;

const COMPONENTS = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const;
/** Eigenvalues stand in this order. */
const AXES = ["tAxis", "nAxis", "pAxis"] as const;

type Solution = {
  readonly publicID: string;
  readonly hypocentreID: string;
  readonly centroidID: string;
  readonly creationInfo: QuakemlObject<"CreationInfo">;
  readonly warn: (line: number, message: string) => void;
};

/**
 * The mechanism, and Mw by its scalar moment.
 * @param lines the second, fourth and fifth of an event
 * @throws FaultyLine
 */
function readTensor(
  [method, tensor, axes]: readonly [TextLine, TextLine, TextLine],
  solution: Solution,
): { focalMechanism: QuakemlObject<"FocalMechanism">; magnitude: QuakemlObject<"Magnitude"> } {
  const { publicID, hypocentreID, centroidID, creationInfo, warn } = solution;
  const exponent = required(tensor, integerIn(tensor, 1, 2), "exponent") + DYNE_CM;
  const moment = required(axes, numberIn(axes, 49, 56, exponent), "scalar moment");
  if (moment <= 0) throw new FaultyLine(axes.number, "the scalar moment is not above zero");
  const readable = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof FaultyLine)) throw error;
      warn(error.line, `${error.message}; the event is kept without it`);
      return undefined;
    }
  };
  const nodalPlanes = filled({
    nodalPlane1: readable(() => readPlane(axes, 57)),
    nodalPlane2: readable(() => readPlane(axes, 69)),
  });
  const magnitude = momentMagnitude(moment, solution);
  return {
    magnitude,
    focalMechanism: {
      publicID: serviceId(publicID, "focalMechanism", 0),
      momentTensor: [
        {
          publicID: serviceId(publicID, "momentTensor", 0),
          ...present({ dataUsed: readData(method) }),
          derivedOriginID: centroidID,
          momentMagnitudeID: magnitude.publicID,
          scalarMoment: { value: moment },
          tensor: readComponents(tensor, exponent),
          sourceTimeFunction: readFunction(method),
          inversionType: readInversion(method),
          creationInfo,
        },
      ],
      triggeringOriginID: hypocentreID,
      ...present({ nodalPlanes, principalAxes: readable(() => readAxes(axes, exponent)) }),
      creationInfo,
    },
  };
}

function momentMagnitude(
  moment: number,
  { publicID, centroidID, creationInfo }: Solution,
): QuakemlObject<"Magnitude"> {
  const value = (2 / 3) * (Math.log10(moment) - MW_CONSTANT);
  return {
    publicID: serviceId(publicID, "magnitude", 2),
    comment: [{ text: `Mw = 2/3 (log10 M0 - ${MW_CONSTANT}), M0 in N·m` }],
    mag: { value: Number(value.toFixed(MW_DIGITS)) },
    type: OWN_PROGRAM.test(creationInfo.version ?? "") ? "Mwc" : "Mw",
    originID: centroidID,
    creationInfo,
  };
}

/** Kinds of waves with their stations, components and shortest period. */
function readData(line: TextLine): QuakemlObject<"DataUsed">[] {
  return [18, 33, 48].flatMap((at) => {
    const name = columnsOf(line, at, at + 1);
    if (name === "") return [];
    const waveType = WAVES[name.charAt(0) as keyof typeof WAVES];
    if (waveType === undefined || name.charAt(1) !== ":") {
      throw new FaultyLine(line.number, `${JSON.stringify(name)} is no kind of data: B:, S: or M:`);
    }
    const stationCount = integerIn(line, at + 2, at + 4);
    const componentCount = integerIn(line, at + 5, at + 9);
    const shortestPeriod = numberIn(line, at + 10, at + 13);
    return [{ waveType, ...present({ stationCount, componentCount, shortestPeriod }) }];
  });
}

function readInversion(line: TextLine) {
  const digit = /^CMT: *([012])$/.exec(columnsOf(line, 63, 68))?.[1];
  const type = INVERSIONS[Number(digit) as keyof typeof INVERSIONS];
  return required(line, type, "kind of source in columns 63 to 68: CMT: 0, 1 or 2");
}

/** The file has half of the duration. */
function readFunction(line: TextLine): QuakemlObject<"SourceTimeFunction"> {
  const type = FUNCTIONS[columnsOf(line, 70, 74) as keyof typeof FUNCTIONS] ?? "unknown";
  const half = required(line, numberIn(line, 76, 80), "duration of the source");
  return { type, duration: half * 2 };
}

function readComponents(line: TextLine, exponent: number): QuakemlObject<"Tensor"> {
  const quantities = COMPONENTS.map((name, i) => {
    const at = 3 + 13 * i;
    const value = required(line, numberIn(line, at, at + 6, exponent), name);
    return [
      name,
      { value, ...present({ uncertainty: numberIn(line, at + 7, at + 12, exponent) }) },
    ];
  });
  return Object.fromEntries(quantities) as QuakemlObject<"Tensor">;
}

function readAxes(line: TextLine, exponent: number): QuakemlObject<"PrincipalAxes"> {
  const axes = AXES.map((name, i) => {
    const at = 4 + 15 * i;
    const axis = {
      azimuth: {
        value: required(line, numberIn(line, at + 11, at + 14), `azimuth of the ${name}`),
      },
      plunge: { value: required(line, numberIn(line, at + 8, at + 10), `plunge of the ${name}`) },
      length: {
        value: required(line, numberIn(line, at, at + 7, exponent), `value of the ${name}`),
      },
    };
    return [name, axis];
  });
  return Object.fromEntries(axes) as QuakemlObject<"PrincipalAxes">;
}

function readPlane(line: TextLine, at: number): QuakemlObject<"NodalPlane"> {
  const angle = (name: string, from: number, to: number) => ({
    value: required(line, numberIn(line, from, to), `${name} of a nodal plane`),
  });
  return {
    strike: angle("strike", at, at + 3),
    dip: angle("dip", at + 4, at + 6),
    rake: angle("rake", at + 7, at + 11),
  };
}
