import { serviceId } from "../../quakeml/shared/service-id.ts";
import type { MechanismPart } from "../shared/blocks.ts";
import { type Draft, type Drafts, draftOf, putForeign } from "../shared/drafts.ts";
import type { ReadOrigin, Warn } from "./event-lines.ts";
import { solutionsOf } from "./mechanism-solutions.ts";

/**
 * The mechanisms in the comments of an origin's line. Tensor, planes and axes of one author that stand
 * one after the other are of one mechanism. Values that QuakeML cannot hold, as axes without lengths,
 * stay with the origin as they stand.
 */
export function mechanismsOfLines(
  eventId: string,
  { origin, source: { mechanisms, drafts } }: ReadOrigin,
  warn: Warn,
): Draft[] {
  const groups: { parts: Map<MechanismPart, Drafts>; author: unknown }[] = [];
  for (const comment of mechanisms) {
    const solutions = solutionsOf(comment, warn);
    if (solutions === null) {
      const number = comment.lines[0]?.number ?? 0;
      warn(number, `the comment ${comment.part} is not whole; it is kept as foreign`);
      const text = comment.lines.map((line) => line.text.trimEnd()).join("\n");
      putForeign(draftOf(drafts, "origin"), "mechanism", text);
      continue;
    }
    for (const solution of solutions) {
      const author = authorOf(solution.drafts);
      const last = groups.at(-1);
      const isSame = last !== undefined && last.author === author && !last.parts.has(solution.part);
      if (isSame) last.parts.set(solution.part, solution.drafts);
      else groups.push({ parts: new Map([[solution.part, solution.drafts]]), author });
    }
  }
  return groups.map(({ parts }, place) =>
    mechanismOf(
      parts,
      origin.publicID,
      serviceId(eventId, "momentTensor", `${origin.publicID}.${place}`),
    ),
  );
}

function authorOf({ mechanism = {} }: Drafts): unknown {
  return (mechanism["creationInfo"] as Draft | undefined)?.["author"];
}

function mechanismOf(
  parts: ReadonlyMap<MechanismPart, Drafts>,
  originId: string,
  tensorId: string,
): Draft {
  const mechanism: Draft = {};
  for (const { mechanism: said = {} } of parts.values()) {
    const foreign = [...(mechanism.foreign ?? []), ...(said.foreign ?? [])];
    Object.assign(mechanism, said, foreign.length > 0 && { foreign });
  }
  const planes = parts.get("FAULT_PLANE");
  if (planes !== undefined) {
    const { first, second, line = {} } = planes;
    const preferred = preferredPlane(line);
    mechanism["nodalPlanes"] = {
      ...(preferred !== undefined && { preferredPlane: preferred }),
      nodalPlane1: first,
      ...(second !== undefined && { nodalPlane2: second }),
    };
  }
  const axes = parts.get("PRINAX")?.["axes"];
  if (axes !== undefined) mechanism["principalAxes"] = axes;
  const tensor = parts.get("MOMTENS");
  if (tensor === undefined) mechanism["triggeringOriginID"] = originId;
  else mechanism["momentTensor"] = [tensorOf(tensor, originId, tensorId)];
  return mechanism;
}

/** Of the two planes, `first` and `second`, one may be called the fault's or the auxiliary one. */
function preferredPlane({ first, second }: Draft): 1 | 2 | undefined {
  if (first === "FAULT" || (second === "AUXIL" && first === undefined)) return 1;
  if (second === "FAULT" || (first === "AUXIL" && second === undefined)) return 2;
  return undefined;
}

function tensorOf(
  { tensor = {}, body, surface }: Drafts,
  originId: string,
  publicID: string,
): Draft {
  const dataUsed = [
    ...(body === undefined ? [] : [{ waveType: "body waves", ...body }]),
    ...(surface === undefined ? [] : [{ waveType: "surface waves", ...surface }]),
  ];
  const { sourceTimeFunction } = tensor;
  return {
    publicID,
    derivedOriginID: originId,
    ...(dataUsed.length > 0 && { dataUsed }),
    ...tensor,
    ...(sourceTimeFunction !== undefined && {
      sourceTimeFunction: { type: "unknown", ...(sourceTimeFunction as Draft) },
    }),
  };
}
