import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { isPlainObject, structureFault } from "./structure.ts";
import { isBlank } from "./text.ts";
import type { Report } from "./validation-result.ts";

type Shape = { readonly [member: string]: "number" | Shape };

const PLANE: Shape = { strike: "number", dip: "number", rake: "number" };
const AXIS: Shape = { azimuth: "number", plunge: "number", length: "number" };

/** The numeric members of QuakeML 1.2 BED's FocalMechanism, as plain numbers. */
const FOCAL_MECHANISM: Shape = {
  nodalPlanes: { nodalPlane1: PLANE, nodalPlane2: PLANE, preferredPlane: "number" },
  principalAxes: { tAxis: AXIS, pAxis: AXIS, nAxis: AXIS },
  azimuthalGap: "number",
  stationPolarityCount: "number",
  misfit: "number",
  stationDistributionRatio: "number",
  momentTensor: {
    scalarMoment: "number",
    tensor: {
      Mrr: "number",
      Mtt: "number",
      Mpp: "number",
      Mrt: "number",
      Mrp: "number",
      Mtp: "number",
    },
    variance: "number",
    varianceReduction: "number",
    doubleCouple: "number",
    clvd: "number",
    iso: "number",
    sourceTimeFunction: { duration: "number", riseTime: "number", decayTime: "number" },
  },
};

/**
 * Focal mechanisms as a list, or as JSON text of one (in rows of files); an empty list becomes null.
 * The known numbers are validated, other members kept unchanged.
 */
export function readFocalMechanisms(value: unknown, report: Report): JsonObject[] | null {
  const list = typeof value === "string" ? parseList(value) : value;
  if (list === null) return null;
  const fault = faultOf(list);
  if (fault !== null) return report("focal_mechanisms", fault);
  return isObjectList(list) && list.length > 0 ? list : null;
}

function parseList(text: string): unknown {
  if (isBlank(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function faultOf(list: unknown): string | null {
  if (!isObjectList(list)) return "must be a list of objects";
  for (const [index, mechanism] of list.entries()) {
    const fault = shapeFault(mechanism, FOCAL_MECHANISM, `[${index}]`);
    if (fault !== null) return fault;
  }
  return structureFault(list);
}

function isObjectList(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.every(isPlainObject);
}

function shapeFault(object: JsonObject, shape: Shape, path: string): string | null {
  for (const [member, expected] of Object.entries(shape)) {
    const value = object[member];
    if (value === undefined || value === null) continue;
    if (expected === "number") {
      if (!Number.isFinite(value)) return `${path}.${member} must be a finite number`;
      continue;
    }
    if (!isPlainObject(value)) return `${path}.${member} must be an object`;
    const fault = shapeFault(value, expected, `${path}.${member}`);
    if (fault !== null) return fault;
  }
  return null;
}
