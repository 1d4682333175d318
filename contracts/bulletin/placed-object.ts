import { OWN_AUTHORITY } from "../seismic-event/own-public-id.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../seismic-event/seismic-event.ts";
import type { Field } from "./field.ts";
import { QUAKEML_TYPES, type TypeName } from "./quakeml-types.ts";

type Json = Readonly<Record<string, unknown>>;

/** An object of a QuakeML type; not `exact` when a value of its row has no place in it. */
type Placed = { readonly object: Json | null; readonly exact: boolean };

/** Ids for objects that need one and whose row does not give it. */
export type PlacedIds = Partial<Record<TypeName, Readonly<Record<string, string>>>>;

/** Members that rows do not show. */
const HIDDEN: ReadonlySet<string> = new Set([
  "comment",
  "waveformID",
  "agencyURI",
  "authorURI",
  "member",
]);

const NOTHING: Json = {};

/**
 * A structure of a row, with plain numbers, as an object of a QuakeML type. What `present` has beside
 * it stays: uncertainties, and members that rows do not show. The object is null where it would lack
 * what QuakeML requires.
 */
export function placedObject(
  type: TypeName,
  given: JsonObject,
  present: object | undefined,
  ids: PlacedIds,
): Placed {
  const placing = { ids, exact: true };
  const object = placeObject(placing, type, given, (present ?? NOTHING) as Json);
  return { object: object ?? null, exact: placing.exact && object !== undefined };
}

type Placing = { readonly ids: PlacedIds; exact: boolean };

function placeObject(
  placing: Placing,
  type: TypeName,
  given: JsonObject,
  present: Json,
): Json | undefined {
  const fields: Readonly<Record<string, Field>> = QUAKEML_TYPES[type];
  const object: Record<string, unknown> = { ...placing.ids[type], ...hiddenPart(fields, present) };
  for (const [member, value] of Object.entries(given)) {
    const field = Object.hasOwn(fields, member) && !HIDDEN.has(member) ? fields[member] : undefined;
    const placed = field && placeMember(placing, field, value, present[member]);
    if (placed === undefined) placing.exact = false;
    else object[member] = placed;
  }
  const isWhole = Object.entries(fields).every(
    ([name, { required }]) => !required || name in object,
  );
  return isWhole && Object.keys(object).length > 0 ? object : undefined;
}

/** What stays whatever the row says: hidden members, ids of the service, further list entries. */
function hiddenPart(fields: Readonly<Record<string, Field>>, present: Json): Json {
  const hidden: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(present)) {
    const isForeign = !Object.hasOwn(fields, member);
    if (isForeign || HIDDEN.has(member) || isOwnId(value)) hidden[member] = value;
  }
  return hidden;
}

function isOwnId(value: unknown): boolean {
  return typeof value === "string" && value.startsWith(OWN_AUTHORITY);
}

function placeMember(placing: Placing, field: Field, value: JsonValue, present: unknown): unknown {
  if (!field.many) return placeSingle(placing, field, value, present);
  const before = Array.isArray(present) ? present : [];
  // A row shows the first moment tensor only, as an object; other lists are lists in both.
  if (isJsonObject(value)) {
    const first = placeSingle(placing, field, value, before[0]);
    return first === undefined ? undefined : [first, ...before.slice(1)];
  }
  if (!Array.isArray(value) || value.length === 0 || field.type === "MomentTensor")
    return undefined;
  const list = value.map((item, i) => placeSingle(placing, field, item, before[i]));
  return list.includes(undefined) ? undefined : list;
}

function placeSingle(placing: Placing, field: Field, value: JsonValue, present: unknown): unknown {
  if (field.kind !== "object") return isOfKind(field, value) ? value : undefined;
  const before = (isJsonObject(present) ? present : NOTHING) as Json;
  if (field.type === "RealQuantity") {
    return Number.isFinite(value) ? { ...before, value } : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  return placeObject(placing, field.type as TypeName, value, before);
}

function isOfKind({ kind, values, maxLength }: Field, value: JsonValue): boolean {
  switch (kind) {
    case "real":
      return Number.isFinite(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "object":
      return false;
    default:
      if (typeof value !== "string" || value.trim() !== value || value === "") return false;
      if (isOwnId(value)) return false;
      return (values?.includes(value) ?? true) && value.length <= (maxLength ?? value.length);
  }
}
