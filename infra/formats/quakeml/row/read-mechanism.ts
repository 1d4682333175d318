import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { shiftDecimal } from "../../decimal-number.ts";
import { isOwnId } from "../shared/event-ids.ts";
import type { MechanismShape, MemberKind } from "../shared/mechanism-shape.ts";
import {
  childOf,
  childrenOf,
  foreignAttribute,
  type Members,
  numberOf,
  textOf,
} from "./members.ts";

/** A mechanism with plain numbers: uncertainties are dropped, an invalid number is reported. */
export function readMechanism(
  node: Members,
  shape: MechanismShape,
  warn: (message: string) => void,
): JsonObject {
  const object: JsonObject = {};
  for (const member in shape) {
    const kind = shape[member];
    if (kind === undefined) continue;
    if (node[member] === undefined && node["foreign"] === undefined) continue;
    const value = readMember(node, member, kind, warn);
    if (value !== undefined) object[member] = value;
  }
  return object;
}

function readMember(
  node: Members,
  member: string,
  kind: MemberKind,
  warn: (message: string) => void,
): JsonValue | undefined {
  switch (kind) {
    case "quantity":
      return numberIn(numberOf(childOf(node, member), "value"), member, warn);
    case "real":
    case "integer":
    case "int":
      return numberIn(numberOf(node, member), member, warn);
    case "attribute":
      return numberIn(numberOf(node, member) ?? foreignAttribute(node, member), member, warn);
    case "id":
    case "publicID": {
      const id = textOf(node, member);
      return id === undefined || isOwnId(id) ? undefined : id;
    }
    case "time":
      return textOf(node, member);
    default:
      return readStructure(node, member, kind, warn);
  }
}

function readStructure(
  node: Members,
  member: string,
  kind: Exclude<MemberKind, string>,
  warn: (message: string) => void,
): JsonValue | undefined {
  if ("list" in kind) {
    const items = childrenOf(node, member);
    if (items.length === 0) return undefined;
    return items.map((item) => readMechanism(item, kind.list, warn));
  }
  if (!("members" in kind)) return textOf(node, member);
  const child = childOf(node, member);
  return child === undefined ? undefined : readMechanism(child, kind.members, warn);
}

function numberIn(
  given: number | string | undefined,
  member: string,
  warn: (message: string) => void,
): number | undefined {
  if (typeof given !== "string") return given;
  const value = shiftDecimal(given, 0) === null ? Number.NaN : Number(given);
  if (Number.isFinite(value)) return value;
  warn(`${member} of a focal mechanism is not a number and is left out`);
  return undefined;
}
