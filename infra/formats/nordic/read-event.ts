import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { columnsOf, FaultyLine, numberIn, required, type TextLine } from "../fixed-columns.ts";
import { own } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { typeOf, versionIn } from "./line-types.ts";
import { type MechanismContext, madeBy } from "./mechanism-context.ts";
import { type Headers, readOrigins } from "./read-origins.ts";
import { readPhases } from "./read-phases.ts";
import { readOriginTime } from "./read-place.ts";
import { readTensor } from "./read-tensor.ts";
import { refineOrigins } from "./refine-origins.ts";

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

type EventType = Pick<Bulletin, "type" | "typeCertainty">;

/** SEISAN's letters of kinds of events. */
const EVENT_TYPES = new Map<string, EventType>([
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
export function readNordic(block: readonly TextLine[], nameOf: (id: string) => string): Bulletin {
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
  const phases = readPhases(ofType("4", " "), {
    eventID: publicID,
    originTime: readOriginTime(first),
    heading: {
      version: heading && versionIn(heading.text),
      hasNoise: heading?.text.slice(56, 63).includes("SNR") ?? false,
    },
  });
  const solutions = readSolutions(ofType("F", "M"), publicID, headers);
  const [preferred, ...others] = origins;
  return {
    publicID,
    ...present({
      comment: ofType("3").flatMap((line) => commentIn(columnsOf(line, 2, 79))),
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

function commentIn(text: string): { readonly text: string }[] {
  return text === "" ? [] : [{ text }];
}

function readSolutions(lines: readonly TextLine[], eventID: string, headers: Headers) {
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
