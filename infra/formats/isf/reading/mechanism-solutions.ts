import { columnsOf, integerIn, type TextLine } from "../../fixed-columns.ts";
import { AXES, AXES_ERRORS, PLANE, TENSOR, TENSOR_ERRORS } from "../columns/mechanism-columns.ts";
import type { MechanismPart } from "../shared/blocks.ts";
import { commentIn } from "../shared/blocks.ts";
import { type Draft, type Drafts, draftOf, hasValue } from "../shared/drafts.ts";
import type { MechanismLines, Warn } from "./event-lines.ts";
import { readColumns } from "./read-columns.ts";

/** The elements of a tensor; QuakeML has all six or none. */
const ELEMENTS = ["Mrr", "Mtt", "Mpp", "Mrt", "Mrp", "Mtp"] as const;

/** One solution of a comment, of which a mechanism may have one of each part. */
export type Solution = { readonly part: MechanismPart; readonly drafts: Drafts };

/** The solutions of one comment; null where QuakeML cannot hold one of them. */
export function solutionsOf({ part, lines }: MechanismLines, warn: Warn): Solution[] | null {
  const values = lines.filter((line) => /\d/.test(line.text) && !isHeader(line));
  const solutions: Drafts[] = [];
  for (const line of values) {
    const isFirst = part === "MOMTENS" ? columnsOf(line, 12, 13) !== "" : !isSecond(line);
    if (isFirst) solutions.push({});
    const drafts = solutions.at(-1);
    if (drafts === undefined) return null;
    readPart(part, isFirst, line, drafts, (message) => warn(line.number, message));
  }
  const isWhole = solutions.every((drafts) => WHOLE[part](drafts));
  return isWhole ? solutions.map((drafts) => ({ part, drafts })) : null;
}

function isHeader({ text }: TextLine): boolean {
  return /#(?:MOMTENS|FAULT_PLANE|PRINAX)|\be(?:M0|Tv)\b/.test(text);
}

function isSecond({ text }: TextLine): boolean {
  return commentIn(text)?.startsWith("+") === true;
}

function readPart(
  part: MechanismPart,
  isFirst: boolean,
  line: TextLine,
  drafts: Drafts,
  warn: (message: string) => void,
): void {
  const open = withoutParenthesis(line);
  switch (part) {
    case "MOMTENS":
    case "PRINAX": {
      const isTensor = part === "MOMTENS";
      const [from, to] = isTensor ? [12, 13] : [11, 12];
      if (isFirst) draftOf(drafts, "line")["scale"] = integerIn(open, from, to);
      const first = isTensor ? TENSOR : AXES;
      const second = isTensor ? TENSOR_ERRORS : AXES_ERRORS;
      const scale = drafts["line"]?.["scale"] as number | undefined;
      readColumns(isFirst ? first : second, open, drafts, warn, scale);
      break;
    }
    case "FAULT_PLANE": {
      const one = readColumns(PLANE, open, { mechanism: drafts["mechanism"] ?? {} }, warn);
      drafts["mechanism"] = draftOf(one, "mechanism");
      const place = isFirst ? "first" : "second";
      drafts[place] = one["plane"] ?? {};
      if (one["line"]?.["plane"] !== undefined) {
        draftOf(drafts, "line")[place] = one["line"]["plane"];
      }
    }
  }
}

/** The parenthesis that closes a comment may stand in the author's columns. */
function withoutParenthesis({ text, number }: TextLine): TextLine {
  return { text: text.replace(/\)\s*$/, ""), number };
}

/** Whether QuakeML can hold the values of a part. */
const WHOLE: Readonly<Record<MechanismPart, (drafts: Drafts) => boolean>> = {
  MOMTENS: ({ tensor = {} }) => {
    const elements = (tensor["tensor"] ?? {}) as Record<string, Draft>;
    const known = ELEMENTS.filter((name) => hasValue(elements[name])).length;
    const isWhole = known === ELEMENTS.length || Object.keys(elements).length === 0;
    return isWhole && (tensor["scalarMoment"] === undefined || hasValue(tensor["scalarMoment"]));
  },
  FAULT_PLANE: ({ first, second }) =>
    [first, second].every(
      (plane) =>
        plane === undefined || ["strike", "dip", "rake"].every((name) => hasValue(plane[name])),
    ),
  PRINAX: ({ axes = {} }) =>
    ["tAxis", "nAxis", "pAxis"].every((name) => {
      const axis = axes[name] as Draft | undefined;
      if (axis === undefined) return name === "nAxis";
      return ["azimuth", "plunge", "length"].every((member) => hasValue(axis[member]));
    }),
};
