import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { FaultyLine, numberOfText, type TextLine } from "../fixed-columns.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import { createBlockReader, type LinePlace } from "../lines/block-reader.ts";
import { isoTime } from "../lines/calendar-time.ts";
import { own } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { readOrigin } from "./read-origin.ts";
import { readPhase } from "./read-phase.ts";
import {
  namedValues,
  quotedIn,
  type Statement,
  type Statements,
  statementOf,
} from "./statements.ts";

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
  const info = present({
    author: author === "" || author.length > MAX_AUTHOR ? undefined : author,
    creationTime: time?.slice(0, -1),
    version: version !== undefined && version.length <= MAX_VERSION ? version : undefined,
  });
  return Object.keys(info).length === 0 ? undefined : info;
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
  const publicID = givenId(statements) ?? serviceId(textOf(block), "event", 0);
  const geographic = statements.get("GEOGRAPHIC");
  if (geographic === undefined) return { publicID };
  const originID = serviceId(publicID, "origin", 0);
  const phases = phaseLines.map((line, i) => readPhase(line, publicID, i));
  const comment = quotedIn(statements.get("COMMENT"))[0]?.trim() ?? "";
  const origin = {
    publicID: originID,
    ...present({ arrival: phases.map(({ arrival }) => arrival) }),
    ...readOrigin(geographic, statements),
    ...present({
      evaluationStatus: isLocated(statements) ? undefined : ("rejected" as const),
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

function textOf(block: readonly TextLine[]): string {
  return block.map(({ text }) => text).join("\n");
}

function givenId(statements: Statements): string | undefined {
  const id = statements.get("PUBLIC_ID")?.text ?? "";
  return id === "" || id.toLowerCase() === "none" ? undefined : id;
}

/** `NLLOC "file" "LOCATED" "remark"`; versions before 4 say nothing of it. */
function isLocated(statements: Statements): boolean {
  return (quotedIn(statements.get("NLLOC"))[1] ?? "LOCATED") === "LOCATED";
}

type Parts = {
  readonly statements: Statements;
  readonly phaseLines: readonly TextLine[];
  /** What the model has no place for. */
  readonly rest: readonly Foreign[];
};

function divide(block: readonly TextLine[]): Parts {
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
    if (keyword !== "PHASE" && !WHOLE.has(keyword)) rest.push(foreignOf(statement));
  }
  if (within !== undefined) {
    const number = block.at(-1)?.number ?? 1;
    throw new FaultyLine(number, `the hypocentre has no END_${within}`);
  }
  if (samples.length > 0) rest.push(own("SCATTER_SAMPLES", samples.join("\n")));
  return { statements, phaseLines, rest };
}

function foreignOf({ keyword, text, line }: Statement): Foreign {
  return XML_NAME.test(keyword) ? own(keyword, text) : own("line", line.text.trim());
}
