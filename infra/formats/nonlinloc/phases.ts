import type { QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { ownValues, present, serviceId } from "../bulletin/members.ts";
import { FaultyLine, numberOfText, required, type TextLine } from "../lines/fixed-columns.ts";
import { degreesOfKm, isoTime, waveformOf } from "../lines/values.ts";

/** What divides the reading from what was calculated; before it are 14 words, from version 7 on 15. */
const SEPARATOR = ">";
const WORDS_BEFORE = [14, 15];
/** Stands for the place of a station that is not known. */
const NOWHERE_KM = -1e19;
const NONE = -1;

const ONSETS = new Map<string, QuakemlObject<"Pick">["onset"]>([
  ["i", "impulsive"],
  ["e", "emergent"],
]);
const POLARITIES = new Map<string, QuakemlObject<"Pick">["polarity"]>([
  ["c", "positive"],
  ["u", "positive"],
  ["+", "positive"],
  ["d", "negative"],
  ["-", "negative"],
]);

/**
 * A line of the block PHASE of versions 6 and 7. Networks are not in the format.
 * @param place of the phase in its event, from 0
 * @throws FaultyLine
 */
export function readPhase(line: TextLine, eventID: string, place: number) {
  const words = line.text.trim().split(/\s+/);
  const at = words.indexOf(SEPARATOR);
  if (!WORDS_BEFORE.includes(at)) {
    throw new FaultyLine(line.number, `a phase has ${SEPARATOR} as its 15th or 16th word`);
  }
  const [station = "", instrument, channel, onset = "", phase = "", motion = ""] = words;
  const pick: QuakemlObject<"Pick"> = {
    publicID: serviceId(eventID, "pick", place),
    time: readTime(line, words),
    waveformID: waveformOf(station, given(channel)),
    ...present({
      onset: ONSETS.get(onset.toLowerCase()),
      phaseHint: phase,
      polarity: POLARITIES.get(motion.toLowerCase()),
      foreign: ownValues("reading", { Ins: given(instrument), Err: words[9] }),
    }),
  };
  const priorWeight = at === WORDS_BEFORE[1] ? words[14] : undefined;
  return {
    pick,
    arrival: {
      publicID: serviceId(eventID, "arrival", place),
      pickID: pick.publicID,
      phase,
      ...readCalculated(line, words.slice(at + 1), priorWeight),
    },
    amplitude: readAmplitudes(line, words, pick),
  };
}

/** Question marks stand for what is not known. */
function given(word: string | undefined): string | undefined {
  return word === "?" ? undefined : word;
}

function readTime(line: TextLine, words: readonly string[]): QuakemlObject<"TimeQuantity"> {
  const [date = "", clock = "", second = ""] = words.slice(6, 9);
  const parts = /^(\d{4})(\d\d)(\d\d) (\d?\d)(\d\d)$/.exec(`${date} ${clock}`)?.slice(1) ?? [];
  const value = required(line, isoTime([...parts, second]), "time of the phase");
  const uncertainty = numberOfText(line, words[10] ?? "", "ErrMag is");
  return { value, ...(uncertainty !== undefined && uncertainty >= 0 && { uncertainty }) };
}

/**
 * The words after the separator: TTpred Res Weight X Y Z SDist SAzim RAz RDip RQual Tcorr TTerr. Of a
 * station without place nothing but the weight was calculated.
 */
function readCalculated(line: TextLine, words: readonly string[], priorWeight: string | undefined) {
  const [TTpred, residual, weight, X, Y, Z, distance, azimuth, RAz, RDip, RQual, correction] =
    words;
  const number = (name: string, text = "") => numberOfText(line, text, `${name} is`);
  const km = required(line, number("SDist", distance), "distance of the station");
  const isPlaced = (number("X", X) ?? 0) > NOWHERE_KM;
  const angle = (number("RQual", RQual) ?? 0) > 0 ? number("RDip", RDip) : undefined;
  return present({
    timeCorrection: number("Tcorr", correction),
    azimuth: isPlaced ? number("SAzim", azimuth) : undefined,
    distance: isPlaced ? degreesOfKm(km) : undefined,
    takeoffAngle: angle === undefined ? undefined : { value: angle },
    timeResidual: isPlaced ? number("Res", residual) : undefined,
    timeWeight: number("Weight", weight),
    foreign: ownValues("calculated", {
      ...(isPlaced && { TTpred, X, Y, Z, RAz, RDip, RQual }),
      TTerr: words[12],
      PriorWt: priorWeight,
    }),
  });
}

/** The coda's duration, and the largest amplitude from peak to peak, whose unit is not said. */
function readAmplitudes(
  line: TextLine,
  words: readonly string[],
  { publicID: pickID, waveformID }: QuakemlObject<"Pick">,
): QuakemlObject<"Amplitude">[] {
  const [coda, amplitude, period] = [11, 12, 13].map((i) => {
    const value = numberOfText(line, words[i] ?? "", `the ${i + 1}th word is`);
    return value === NONE ? undefined : value;
  });
  const readings: QuakemlObject<"Amplitude">[] = [];
  const add = (name: string, value: number, more: Partial<QuakemlObject<"Amplitude">>) => {
    const publicID = serviceId(pickID, "amplitude", name);
    readings.push({ publicID, genericAmplitude: { value }, ...more, pickID, waveformID });
  };
  if (coda !== undefined) add("coda", coda, { category: "duration", unit: "s" });
  if (amplitude !== undefined) {
    const cycle = period === undefined ? {} : { period: { value: period } };
    add("peak-to-peak", amplitude, { category: "other", ...cycle });
  }
  return readings;
}
