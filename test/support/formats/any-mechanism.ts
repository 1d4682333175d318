import fc from "fast-check";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import {
  FOCAL_MECHANISM,
  type MechanismShape,
  type MemberKind,
} from "#infra/formats/bulletin/row.ts";

const resourceId = fc
  .tuple(
    fc.constantFrom("smi", "quakeml"),
    fc.stringMatching(/^[a-z0-9]{3,8}\/[A-Za-z0-9_.?=&;~-]{1,12}$/),
  )
  .map(([scheme, path]) => `${scheme}:${path.replace("/?", "/x?").replace(/\/[=&;]/, "/x")}`);

const plainText = fc.stringMatching(/^[A-Za-z0-9<>&"'ü]{1,20}$/);

function memberOf(kind: MemberKind): fc.Arbitrary<JsonValue> {
  if (typeof kind === "object") {
    if ("values" in kind) return fc.constantFrom(...kind.values);
    if ("members" in kind) return mechanismOf(kind.members);
    if ("list" in kind) return fc.array(mechanismOf(kind.list), { minLength: 1, maxLength: 3 });
    return plainText;
  }
  switch (kind) {
    case "quantity":
    case "real":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case "integer":
    case "int":
    case "attribute":
      return fc.integer();
    case "id":
    case "publicID":
      return resourceId;
    case "time":
      return fc.constantFrom("2024-05-07T08:24:09.853066Z", "1906-04-18T13:12:00Z");
    default: {
      const unknown: never = kind;
      throw new Error(`unknown kind of member: ${unknown}`);
    }
  }
}

function mechanismOf(shape: MechanismShape): fc.Arbitrary<JsonObject> {
  const members = Object.entries(shape).map(([name, kind]) => [name, memberOf(kind)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

/** Focal mechanisms that QuakeML can express to the last member. */
export const anyMechanism: fc.Arbitrary<JsonObject> = mechanismOf(FOCAL_MECHANISM);
