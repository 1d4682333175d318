import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { columnsOf, FaultyLine, numberIn, required, type TextLine } from "../fixed-columns.ts";
import { isoTime, laterBy } from "../lines/calendar-time.ts";
import { own } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { readTensor } from "./read-tensor.ts";

/** Lines of an event. */
export const NDK_LINES = 5;
/** The numbers of the fourth and fifth end at the last column. */
const COLUMNS = 80;

const KM_TO_M = 3;
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
export function readNdk(
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
