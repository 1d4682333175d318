import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { FaultyLine, numberOfText, required, type TextLine } from "../fixed-columns.ts";
import { isoTime, laterBy } from "../lines/calendar-time.ts";
import { own } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { waveformOf } from "../lines/waveform.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { wordsOf } from "./words.ts";

const HEADER_WORDS = 15;
const PHASE_WORDS = 4;
const KM_TO_M = 3;

/**
 * An event of hypoDD's phase data: `# year month day hour minute second latitude longitude depth
 * magnitude eh ez rms id`, lengths in kilometres, and a line `station seconds weight phase` for each
 * phase, its time counted from the origin. 0 stands for an unknown magnitude or error.
 * @throws FaultyLine
 */
export function readPhases([header, ...phases]: readonly TextLine[]): Bulletin {
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
          quality: readQuality(header, words, phases.length),
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

function readQuality(
  line: TextLine,
  words: readonly string[],
  phaseCount: number,
): QuakemlObject<"OriginQuality"> | undefined {
  const quality = present({
    associatedPhaseCount: phaseCount || undefined,
    standardError: numberOfText(line, words[13] ?? "", "the rms is") || undefined,
  });
  return Object.keys(quality).length === 0 ? undefined : quality;
}

function readPhase(
  line: TextLine,
  originTime: string,
  eventID: string,
  place: number,
): { pick: QuakemlObject<"Pick">; arrival: QuakemlObject<"Arrival"> } {
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
