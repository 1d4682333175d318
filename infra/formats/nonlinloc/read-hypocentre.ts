import type { Bulletin, Foreign } from "#contracts/bulletin/bulletin.ts";
import { FaultyLine, type TextLine } from "../fixed-columns.ts";
import { own } from "../lines/own.ts";
import { present } from "../lines/present.ts";
import { serviceId } from "../quakeml/shared/service-id.ts";
import { readOrigin } from "./read-origin.ts";
import { readPhase } from "./read-phase.ts";
import { readCreation, readMagnitudes, readMechanism } from "./read-solutions.ts";
import { quotedIn, type Statement, type Statements, statementOf } from "./statements.ts";

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
export function readHypocentre(block: readonly TextLine[]): Bulletin {
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
