import fc from "fast-check";
import {
  type Bulletin,
  type Field,
  type Foreign,
  QUAKEML_TYPES,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";

/** Few ids, so that they repeat, stand in several kinds and are referred to. */
const id = fc.constantFrom("a", "b", "c", "d").map((name) => `smi:org.example/${name}`);
const text = fc.constantFrom("one", "two", "Āčē", "a b");
const time = fc.constantFrom("2024-05-06T07:08:09.5Z", "2024-05-06T07:08:10.25Z", "2024-05-07");
const real = fc.constantFrom(0, 0.5, 1, 2.25, 10, 17.125);

const foreign: fc.Arbitrary<Foreign> = fc.record(
  { ns: fc.constant("urn:x"), name: fc.constantFrom("p", "q"), text },
  { requiredKeys: ["ns", "name"] },
);

function anyValue(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case "real":
      return real;
    case "integer":
      return fc.integer({ min: 0, max: 9 });
    case "boolean":
      return fc.boolean();
    case "time":
      return time;
    case "text":
    case "resource":
      return text;
    case "enumeration":
      return fc.constantFrom(...(field.values ?? []));
    case "id":
    case "reference":
      return id;
    case "object":
      return anyObject(field.type as TypeName);
  }
}

/** Any object of a type: what it must have, and a third of what it may have. */
function anyObject(type: TypeName): fc.Arbitrary<unknown> {
  const required: Record<string, fc.Arbitrary<unknown>> = {};
  const optional: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, field] of Object.entries<Field>(QUAKEML_TYPES[type])) {
    if (name === "member") continue;
    const single = anyValue(field);
    const value = field.many ? fc.array(single, { minLength: 1, maxLength: 3 }) : single;
    if (field.required) required[name] = value;
    else optional[name] = fc.option(value, { freq: 2, nil: undefined });
  }
  const some = fc.option(fc.array(foreign, { minLength: 1, maxLength: 2 }), {
    freq: 1,
    nil: undefined,
  });
  return fc
    .record({ ...required, ...optional, foreign: some })
    .map((object) => JSON.parse(JSON.stringify(object)) as Record<string, unknown>)
    .filter((object) => Object.keys(object).length > 0);
}

const event = anyObject("Event") as fc.Arbitrary<Bulletin>;
const origins = fc.array(anyObject("Origin"), { minLength: 1, maxLength: 3 });

/** Any bulletin of a located event. */
export const anyBulletin: fc.Arbitrary<Bulletin> = fc
  .tuple(event, origins)
  .map(([bulletin, origin]) => ({ ...bulletin, origin }) as Bulletin);
