import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { isNumeric } from "#contracts/seismic-event/written-numbers.ts";
import { filled, own, ownValues, present, serviceId } from "../bulletin/members.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "./block-reader.ts";
import {
  FaultyLine,
  isWithoutNumber,
  numberOfText,
  required,
  type TextLine,
} from "./fixed-columns.ts";
import { degreesEast, degreesOfKm, isoTime, KM_TO_M, laterBy, waveformOf } from "./values.ts";

/** Lines by which a file is recognised. */
const FIRST_LINES = 20;

/**
 * A reader of hypoDD's phase data (`.pha`, `phase.dat`), and of relocations (`.reloc`, `.loc`, and
 * those of tomoDD), which are solutions of events that are known by their ids.
 */
export function createHypoddReader(sink: RowSink): FormatReader {
  let isBegun = false;
  return createBlockReader(sink, {
    format: "hypodd",
    place(line, block) {
      // Names of columns may stand above the events.
      isBegun ||= /\d/.test(line.text);
      return isBegun ? placeOf(line, block) : "outside";
    },
    read: (block) => (block.some(isHeader) ? readPhases(block) : readRelocation(block)),
  });
}

function placeOf(line: TextLine, block: readonly TextLine[]): LinePlace {
  if (line.text.trim() === "") return "outside";
  if (isHeader(line)) return "first";
  return block.length > 0 ? "within" : "last";
}

function isHeader({ text }: TextLine): boolean {
  return text.trimStart().startsWith("#");
}

/** True for a file most of whose first lines are phase data, or relocated events. */
export function isHypodd(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "").slice(0, FIRST_LINES);
  const fits = filled.some(isPhaseHeader)
    ? (line: string) => isPhaseHeader(line) || isPhase(line)
    : isRelocation;
  const fitting = filled.filter(fits).length;
  return fitting > 0 && fitting * 2 >= filled.length;
}

function isPhaseHeader(line: string): boolean {
  const [first, ...others] = wordsOf(line);
  // The last is the id, which may be any word.
  const isWhole = first === "#" && others.length === 14 && others.slice(0, -1).every(isNumber);
  return isWhole && isCalendar(others) && isPosition(others.slice(6));
}

function isPhase(line: string): boolean {
  const [, seconds = "", weight = "", ...others] = wordsOf(line);
  return others.length === 1 && isNumber(seconds) && isNumber(weight);
}

function isRelocation(line: string): boolean {
  const words = wordsOf(line);
  const [id = ""] = words;
  const isTable = RELOCATION_COLUMNS.has(words.length) && words.every(isNumber);
  return isTable && /^\d+$/.test(id) && isPosition(words.slice(1)) && isCalendar(words.slice(10));
}

const LOCATED = "ID LAT LON DEPTH X Y Z EX EY EZ YR MO DY HR MI SC MAG".split(" ");
const DATA = "NCCP NCCS NCTP NCTS RCC RCT".split(" ");

/** Names of the columns by their number: hypoDD's `.loc`, tomoDD's and hypoDD's `.reloc`. */
const RELOCATION_COLUMNS: ReadonlyMap<number, readonly string[]> = new Map([
  [18, [...LOCATED, "CID"]],
  [23, [...LOCATED, ...DATA]],
  [24, [...LOCATED, ...DATA, "CID"]],
]);

/** What the model has no place for: metres from the cluster's centroid, counts and residuals of data, cluster. */
const UNPLACED = ["X", "Y", "Z", ...DATA, "CID"];
const M_TO_KM = -3;

/**
 * A relocated event of hypoDD: one origin, of the event with the id that the relocation was made
 * from, and the magnitude that was handed in. Errors are metres; 0 stands for an unknown one.
 * @throws FaultyLine
 */
function readRelocation([line]: readonly TextLine[]): Bulletin {
  if (line === undefined) throw new FaultyLine(1, "there is no event");
  const words = wordsOf(line.text);
  const names = RELOCATION_COLUMNS.get(words.length);
  if (names === undefined) {
    const message = `a relocated event has 18, 23 or 24 words, here are ${words.length}`;
    throw new FaultyLine(line.number, message);
  }
  const values = new Map(names.map((name, i) => [name, words[i] ?? ""]));
  const text = (name: string) => values.get(name) ?? "";
  const number = (name: string, places = 0) => numberOfText(line, text(name), `${name} is`, places);
  const needed = (name: string, places = 0) => required(line, number(name, places), name);
  const publicID = text("ID");
  // Another relocation of the event is another origin.
  const originID = serviceId(publicID, "origin", line.text.trim());
  const latitude = needed("LAT");
  const [east, north] = [number("EX", M_TO_KM) ?? 0, number("EY", M_TO_KM) ?? 0];
  const magnitude = number("MAG");
  const time = isoTime(["YR", "MO", "DY", "HR", "MI", "SC"].map(text));
  const unplaced = UNPLACED.flatMap((name) => (values.has(name) ? [[name, text(name)]] : []));
  return {
    publicID,
    ...(magnitude && {
      magnitude: [
        {
          publicID: serviceId(publicID, "magnitude", line.text.trim()),
          mag: { value: magnitude },
          originID,
        },
      ],
    }),
    origin: [
      {
        publicID: originID,
        time: { value: required(line, time, "time of the origin") },
        longitude: {
          value: needed("LON"),
          ...present({ uncertainty: degreesEast(east, latitude) || undefined }),
        },
        latitude: { value: latitude, ...present({ uncertainty: degreesOfKm(north) || undefined }) },
        depth: {
          value: needed("DEPTH", KM_TO_M),
          ...present({ uncertainty: number("EZ") || undefined }),
        },
        foreign: ownValues("relocation", Object.fromEntries(unplaced)),
      },
    ],
    preferredOriginID: originID,
    ...(magnitude === 0 && { foreign: [own("magnitude", text("MAG"))] }),
  };
}

const HEADER_WORDS = 15;
const PHASE_WORDS = 4;

/**
 * An event of hypoDD's phase data: `# year month day hour minute second latitude longitude depth
 * magnitude eh ez rms id`, lengths in kilometres, and a line `station seconds weight phase` for each
 * phase, its time counted from the origin. 0 stands for an unknown magnitude or error.
 * @throws FaultyLine
 */
function readPhases([header, ...phases]: readonly TextLine[]): Bulletin {
  if (header === undefined) throw new FaultyLine(1, "there is no event");
  const words = wordsOf(header.text);
  if (words.length !== HEADER_WORDS) {
    const message = `an event begins with ${HEADER_WORDS} words, here are ${words.length}`;
    throw new FaultyLine(header.number, message);
  }
  const publicID = words[14] ?? "";
  const origin = readOrigin(header, words, publicID);
  const readings = phases.map((line, i) => readPhase(line, origin.time.value, publicID, i));
  const magnitude = numberOfText(header, words[10] ?? "", "the magnitude is");
  return {
    publicID,
    ...(magnitude && {
      magnitude: [
        {
          publicID: serviceId(publicID, "magnitude", 0),
          mag: { value: magnitude },
          originID: origin.publicID,
        },
      ],
    }),
    origin: [
      {
        ...origin,
        ...present({
          arrival: readings.map(({ arrival }) => arrival),
          quality: filled({
            associatedPhaseCount: phases.length || undefined,
            standardError: numberOfText(header, words[13] ?? "", "the rms is") || undefined,
          }),
        }),
      },
    ],
    ...present({ pick: readings.map(({ pick }) => pick) }),
    preferredOriginID: origin.publicID,
    ...(magnitude === 0 && { foreign: [own("magnitude", words[10] ?? "")] }),
  };
}

function readOrigin(
  line: TextLine,
  words: readonly string[],
  eventID: string,
): QuakemlObject<"Origin"> {
  const [latitude = "", longitude = "", depth = "", , horizontal = "", vertical = ""] =
    words.slice(7);
  const number = (name: string, text: string, places = 0) =>
    numberOfText(line, text, `the ${name} is`, places);
  const known = (name: string, text: string) => number(name, text, KM_TO_M) || undefined;
  const radius = known("horizontal error", horizontal);
  return {
    publicID: serviceId(eventID, "origin", 0),
    time: { value: required(line, isoTime(words.slice(1, 7)), "time of the origin") },
    longitude: { value: required(line, number("longitude", longitude), "longitude") },
    latitude: { value: required(line, number("latitude", latitude), "latitude") },
    depth: {
      value: required(line, number("depth", depth, KM_TO_M), "depth"),
      ...present({ uncertainty: known("vertical error", vertical) }),
    },
    ...(radius !== undefined && {
      originUncertainty: [
        { horizontalUncertainty: radius, preferredDescription: "horizontal uncertainty" },
      ],
    }),
  };
}

function readPhase(line: TextLine, originTime: string, eventID: string, place: number) {
  const words = wordsOf(line.text);
  const [station = "", seconds = "", weight = "", phase = ""] = words;
  if (words.length !== PHASE_WORDS) {
    const message = `a phase has ${PHASE_WORDS} words, here are ${words.length}`;
    throw new FaultyLine(line.number, message);
  }
  const travelTime = numberOfText(line, seconds, "the travel time is");
  const time = travelTime === undefined ? null : laterBy(originTime, seconds);
  const pick: QuakemlObject<"Pick"> = {
    publicID: serviceId(eventID, "pick", place),
    time: { value: required(line, time, "travel time") },
    waveformID: waveformOf(station),
    phaseHint: phase,
  };
  const arrival = {
    publicID: serviceId(eventID, "arrival", place),
    pickID: pick.publicID,
    phase,
    ...present({ timeWeight: numberOfText(line, weight, "the weight is") }),
  };
  return { pick, arrival };
}

/** The words of a line; a `#` at its beginning is one, also without a blank after it. */
function wordsOf(text: string): readonly string[] {
  return text.replace("#", "# ").trim().split(/\s+/);
}

function isNumber(word: string): boolean {
  return isNumeric(word) || isWithoutNumber(word);
}

/** True for year, month, day, hour, minute, second as whole numbers, the last with a fraction. */
function isCalendar(words: readonly string[]): boolean {
  const limits = [
    [1000, 2999],
    [1, 12],
    [1, 31],
    [0, 24],
    [0, 60],
    [0, 61],
  ];
  return limits.every(([min = 0, max = 0], i) => {
    const word = words[i] ?? "";
    return (i < 5 ? /^\d+$/.test(word) : isNumeric(word)) && isWithin(word, min, max);
  });
}

function isPosition([latitude = "", longitude = ""]: readonly string[]): boolean {
  return isWithin(latitude, -90, 90) && isWithin(longitude, -180, 360);
}

function isWithin(word: string, min: number, max: number): boolean {
  return isNumeric(word) && Number(word) >= min && Number(word) <= max;
}
