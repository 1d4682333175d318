import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { filled, own, ownValues, present, serviceId } from "../bulletin/members.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { FaultyLine, numberOfText, required, type TextLine } from "../lines/fixed-columns.ts";
import { degreesEast, degreesOfKm, isoTime, KM_TO_M, waveformOf } from "../lines/values.ts";

const BEGIN = /^NLLOC\s+"/;
const END = /^END_NLLOC\s*$/;

/** A reader of NonLinLoc's hypocentres and phases (`.hyp`), one or many in a file. */
export function createNonlinlocReader(sink: RowSink): FormatReader {
  return createBlockReader(sink, { format: "nonlinloc", place, read: readHypocentre });
}

/** True for a file whose first line with text begins a hypocentre. */
export function isNonlinloc(lines: readonly string[]): boolean {
  return BEGIN.test(lines.find((line) => line.trim() !== "") ?? "");
}

function place({ text }: TextLine, block: readonly TextLine[]): LinePlace {
  if (BEGIN.test(text)) return "first";
  if (block.length === 0) return "outside";
  return END.test(text) ? "last" : "within";
}

const MAX_AUTHOR = 128;
const MAX_VERSION = 64;
/** A magnitude that was not determined is −9.9. */
const NO_MAGNITUDE = -9;
const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const RUN = /(\d\d)([A-Z][a-z]{2})(\d{4}) +(\d\d)h(\d\d)m(\d\d)/;

/** `SIGNATURE "who   obs:… NLLoc:v7.00.13(17Jan2022) run:17Nov2022 15h49m52"`, by the computer's clock. */
function readCreation(statement: Statement | undefined): QuakemlObject<"CreationInfo"> | undefined {
  const [text = ""] = quotedIn(statement);
  const program = text.search(/obs:|NLLoc:/);
  const author = text.slice(0, program === -1 ? undefined : program).trim();
  const version = /NLLoc:\S+/.exec(text)?.[0];
  const [, day = "", month = "", year = "", ...clock] = RUN.exec(text) ?? [];
  const monthNumber = String(MONTHS.indexOf(month) / 3 + 1);
  const time = isoTime([year, monthNumber, day, ...clock]);
  return filled({
    author: author === "" || author.length > MAX_AUTHOR ? undefined : author,
    creationTime: time?.slice(0, -1),
    version: version !== undefined && version.length <= MAX_VERSION ? version : undefined,
  });
}

/** `QUALITY … Mamp 2.1 5 Mdur -9.90 0`: magnitudes of amplitudes and of durations, each with its readings. */
function readMagnitudes(
  statement: Statement | undefined,
  eventID: string,
  originID: string,
): QuakemlObject<"Magnitude">[] {
  const names = [
    ["Mamp", "ML"],
    ["Mdur", "Md"],
  ] as const;
  return names.flatMap(([name, type], i) => {
    const at = statement?.words.indexOf(name) ?? -1;
    if (statement === undefined || at === -1) return [];
    const value = numberOfText(statement.line, statement.words[at + 1] ?? "", `${name} is`);
    if (value === undefined || value <= NO_MAGNITUDE) return [];
    return [{ publicID: serviceId(eventID, "magnitude", i), mag: { value }, type, originID }];
  });
}

/**
 * `FOCALMECH Hyp lat long depth Mech direction dip rake mf misfit nObs n`; one without observations is
 * none. The dip's direction is 90° from the strike.
 */
function readMechanism(
  statement: Statement | undefined,
  eventID: string,
  triggeringOriginID: string,
): QuakemlObject<"FocalMechanism">[] {
  const at = statement?.words.indexOf("Mech") ?? -1;
  if (statement === undefined || at === -1) return [];
  const values = namedValues(statement, at + 4);
  const observations = values.number("nObs") ?? 0;
  const [direction, dip, rake] = statement.words
    .slice(at + 1, at + 4)
    .map((text) => numberOfText(statement.line, text, "Mech is"));
  if (observations <= 0 || direction === undefined || dip === undefined || rake === undefined) {
    return [];
  }
  const strike = { value: (direction + 270) % 360 };
  return [
    {
      publicID: serviceId(eventID, "focalMechanism", 0),
      triggeringOriginID,
      nodalPlanes: { nodalPlane1: { strike, dip: { value: dip }, rake: { value: rake } } },
      ...present({
        stationPolarityCount: Number.isInteger(observations) ? observations : undefined,
        misfit: values.number("mf"),
      }),
    },
  ];
}

/** All that these say is in the model. The lines of others are kept beside it. */
const WHOLE = new Set([
  "COMMENT",
  "GEOGRAPHIC",
  "PUBLIC_ID",
  "QML_OriginQuality",
  "QML_OriginUncertainty",
  "QML_ConfidenceEllipsoid",
]);
/** Blocks of lines, each ended by its own keyword. */
const BLOCKS = ["PHASE", "SCATTER"];
const XML_NAME = /^[A-Za-z_][\w.-]*$/;

/**
 * A hypocentre of NonLinLoc's `.hyp`, from its line NLLOC to END_NLLOC.
 * @throws FaultyLine
 */
function readHypocentre(block: readonly TextLine[]): Bulletin {
  const last = block.at(-1);
  if (last?.text.trim() !== "END_NLLOC") {
    throw new FaultyLine(last?.number ?? 1, "the hypocentre is cut off before END_NLLOC");
  }
  const { statements, phaseLines, rest } = divide(block.slice(0, -1));
  const text = block.map((line) => line.text).join("\n");
  const publicID = idIn(statements) ?? serviceId(text, "event", 0);
  const geographic = statements.get("GEOGRAPHIC");
  if (geographic === undefined) return { publicID };
  const originID = serviceId(publicID, "origin", 0);
  const phases = phaseLines.map((line, i) => readPhase(line, publicID, i));
  const comment = quotedIn(statements.get("COMMENT"))[0]?.trim() ?? "";
  // `NLLOC "file" "LOCATED" "remark"`; versions before 4 say nothing of it.
  const [, located = "LOCATED"] = quotedIn(statements.get("NLLOC"));
  const origin = {
    publicID: originID,
    ...present({ arrival: phases.map(({ arrival }) => arrival) }),
    ...readOrigin(geographic, statements),
    ...present({
      evaluationStatus: located === "LOCATED" ? undefined : ("rejected" as const),
      creationInfo: readCreation(statements.get("SIGNATURE")),
      foreign: rest,
    }),
  };
  return {
    publicID,
    ...present({
      comment: comment === "" ? [] : [{ text: comment }],
      focalMechanism: readMechanism(statements.get("FOCALMECH"), publicID, originID),
      amplitude: phases.flatMap(({ amplitude }) => amplitude),
      magnitude: readMagnitudes(statements.get("QUALITY"), publicID, originID),
    }),
    origin: [origin],
    ...present({ pick: phases.map(({ pick }) => pick) }),
    preferredOriginID: originID,
  };
}

function idIn(statements: Statements): string | undefined {
  const id = statements.get("PUBLIC_ID")?.text ?? "";
  return id === "" || id.toLowerCase() === "none" ? undefined : id;
}

/** The statements, the lines of phases, and as `rest` what the model has no place for. */
function divide(block: readonly TextLine[]) {
  const statements = new Map<string, Statement>();
  const [phaseLines, samples, rest]: [TextLine[], string[], Foreign[]] = [[], [], []];
  let within: string | undefined;
  for (const line of block) {
    const statement = statementOf(line);
    const { keyword } = statement;
    if (keyword === "") continue;
    if (within !== undefined) {
      if (keyword === `END_${within}`) within = undefined;
      else if (within === "PHASE") phaseLines.push(line);
      else samples.push(line.text.trim());
      continue;
    }
    within = BLOCKS.find((name) => name === keyword);
    if (!statements.has(keyword)) statements.set(keyword, statement);
    if (keyword === "PHASE" || WHOLE.has(keyword)) continue;
    const isName = XML_NAME.test(keyword);
    rest.push(isName ? own(keyword, statement.text) : own("line", line.text.trim()));
  }
  if (within !== undefined) {
    const number = block.at(-1)?.number ?? 1;
    throw new FaultyLine(number, `the hypocentre has no END_${within}`);
  }
  if (samples.length > 0) rest.push(own("SCATTER_SAMPLES", samples.join("\n")));
  return { statements, phaseLines, rest };
}

/** NonLinLoc's errors are of one standard deviation. */
const CONFIDENCE = 68;

/**
 * The most likely hypocentre with its errors, from the statements GEOGRAPHIC, STATISTICS and QML_….
 * Lengths are kilometres in all of them.
 * @throws FaultyLine
 */
function readOrigin(geographic: Statement, statements: Statements) {
  const { line, words } = geographic;
  const place = namedValues(geographic, 7);
  const variance = namedValues(statements.get("STATISTICS"));
  const latitude = required(line, place.number("Lat"), "latitude");
  const longitude = required(line, place.number("Long"), "longitude");
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 360) {
    throw new FaultyLine(line.number, "the place is in kilometres, not in degrees");
  }
  const east = (km: number) => degreesEast(km, latitude);
  return {
    time: { value: required(line, isoTime(words.slice(1, 7)), "time of the origin") },
    longitude: { value: longitude, ...deviation(variance.number("CovXX"), east) },
    latitude: { value: latitude, ...deviation(variance.number("YY"), degreesOfKm) },
    depth: {
      value: required(line, place.number("Depth", KM_TO_M), "depth"),
      ...deviation(variance.number("ZZ"), (km) => km * 1000),
    },
    ...present({
      originUncertainty: readUncertainty(statements),
      quality: readQuality(statements),
    }),
  };
}

/** A standard deviation from a variance in km²; rounding may make a small one negative. */
function deviation(variance: number | undefined, convert: (km: number) => number | undefined) {
  if (variance === undefined || variance < 0) return {};
  const uncertainty = convert(Math.sqrt(variance));
  return uncertainty === undefined ? {} : { uncertainty, confidenceLevel: CONFIDENCE };
}

function readUncertainty(statements: Statements): QuakemlObject<"OriginUncertainty">[] {
  const horizontal = namedValues(statements.get("QML_OriginUncertainty"));
  const confidenceEllipsoid = readEllipsoid(statements.get("QML_ConfidenceEllipsoid"));
  const members = filled({
    horizontalUncertainty: horizontal.known("horUnc", KM_TO_M),
    minHorizontalUncertainty: horizontal.known("minHorUnc", KM_TO_M),
    maxHorizontalUncertainty: horizontal.known("maxHorUnc", KM_TO_M),
    azimuthMaxHorizontalUncertainty: horizontal.known("azMaxHorUnc"),
    confidenceEllipsoid,
  });
  if (members === undefined) return [];
  const preferredDescription = confidenceEllipsoid ? "confidence ellipsoid" : "uncertainty ellipse";
  return [{ ...members, preferredDescription, confidenceLevel: CONFIDENCE }];
}

function readEllipsoid(
  statement: Statement | undefined,
): QuakemlObject<"ConfidenceEllipsoid"> | undefined {
  if (statement === undefined) return undefined;
  const values = namedValues(statement);
  const member = (name: string, places = 0) =>
    required(statement.line, values.number(name, places), name);
  return {
    semiMajorAxisLength: member("semiMajorAxisLength", KM_TO_M),
    semiMinorAxisLength: member("semiMinorAxisLength", KM_TO_M),
    semiIntermediateAxisLength: member("semiIntermediateAxisLength", KM_TO_M),
    majorAxisPlunge: member("majorAxisPlunge"),
    majorAxisAzimuth: member("majorAxisAzimuth"),
    majorAxisRotation: member("majorAxisRotation"),
  };
}

/** Versions before 4 have no statement of QuakeML's quality, but some of it in QUALITY. */
function readQuality(statements: Statements): QuakemlObject<"OriginQuality"> | undefined {
  const said = statements.get("QML_OriginQuality");
  const statement = said ?? statements.get("QUALITY");
  const [phases = "", error = "", gap = "", nearest = ""] =
    said === undefined
      ? ["Nphs", "RMS", "Gap", "Dist"]
      : ["usedPhCt", "stdErr", "azGap", "minDist"];
  const values = namedValues(statement);
  const degrees = (name: string) => {
    const km = values.known(name);
    return km === undefined ? undefined : degreesOfKm(km);
  };
  const groundTruth = values.text("gtLevel") ?? "";
  const count = (name: string) => {
    const value = values.known(name);
    if (value === undefined || Number.isSafeInteger(value)) return value;
    throw new FaultyLine(statement?.line.number ?? 1, `${name} is ${value}, no whole number`);
  };
  return filled({
    associatedPhaseCount: count("assocPhCt"),
    usedPhaseCount: count(phases),
    associatedStationCount: count("assocStaCt"),
    usedStationCount: count("usedStaCt"),
    depthPhaseCount: count("depthPhCt"),
    standardError: values.known(error),
    azimuthalGap: values.known(gap),
    secondaryAzimuthalGap: values.known("secAzGap"),
    groundTruthLevel: /^(?:-|.{33,})?$/.test(groundTruth) ? undefined : groundTruth,
    maximumDistance: degrees("maxDist"),
    minimumDistance: degrees(nearest),
    medianDistance: degrees("medDist"),
  });
}

type Statements = ReadonlyMap<string, Statement>;

/** A line of a hypocentre: a keyword, and what comes after it, also as words. */
type Statement = ReturnType<typeof statementOf>;

function statementOf(line: TextLine) {
  const whole = line.text.trim();
  const [keyword = ""] = whole.split(/\s/, 1);
  const text = whole.slice(keyword.length).trim();
  return { line, keyword, text, words: text === "" ? [] : text.split(/\s+/) };
}

/** The texts in quotes of a statement. */
function quotedIn(statement: Statement | undefined): readonly string[] {
  const matches = statement?.text.matchAll(/"([^"]*)"/g) ?? [];
  return [...matches].map(([, text = ""]) => text);
}

/**
 * The values of a statement by the names before them, `Lat 46.2 Long 7.5 …`.
 * @param from the place of the first name among the words
 */
function namedValues(statement: Statement | undefined, from = 0) {
  const values = new Map<string, string>();
  const words = statement?.words ?? [];
  for (let i = from; i + 1 < words.length; i += 2) values.set(words[i] ?? "", words[i + 1] ?? "");

  /**
   * The value times 10^`places`.
   * @throws FaultyLine for what is no number
   */
  function number(name: string, places = 0): number | undefined {
    const text = values.get(name);
    if (statement === undefined || text === undefined) return undefined;
    return numberOfText(statement.line, text, `${name} is`, places);
  }

  return {
    number,
    /** As `number`, but −1 stands for none. */
    known: (name: string, places = 0) => (number(name) === -1 ? undefined : number(name, places)),
    text: (name: string) => values.get(name),
  };
}

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
function readPhase(line: TextLine, eventID: string, place: number) {
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
