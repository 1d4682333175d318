import fc from "fast-check";
import {
  type Bulletin,
  type Field,
  type Foreign,
  QUAKEML_TYPES,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";

const { foreign } = fc.letrec<{ foreign: Foreign }>((tie) => ({
  foreign: fc.record(
    {
      ns: fc.string(),
      name: fc.string({ minLength: 1 }),
      text: fc.string({ unit: "binary" }),
      children: fc.array(tie("foreign"), {
        minLength: 1,
        maxLength: 2,
        depthIdentifier: "foreign",
      }),
    },
    { requiredKeys: ["ns", "name"] },
  ) as fc.Arbitrary<Foreign>,
}));

function anySingle(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case "real":
      return fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0);
    case "integer":
      return fc.integer();
    case "boolean":
      return fc.boolean();
    case "enumeration":
      return fc.constantFrom(...(field.values ?? []));
    case "object":
      return anyObject(field.type as TypeName);
    case "text":
      return fc.string({ maxLength: field.maxLength ?? 200, unit: "grapheme" });
    case "time":
      return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    case "id":
    case "reference":
    case "resource":
      return fc.integer({ min: 0, max: 9 }).map((place) => `smi:test.local/${place}`);
  }
}

function anyObject(name: TypeName): fc.Arbitrary<unknown> {
  const fields = Object.entries<Field>(QUAKEML_TYPES[name]);
  const members = fields.map(([member, field]): [string, fc.Arbitrary<unknown>] => {
    const single = anySingle(field);
    return [member, field.many ? fc.array(single, { minLength: 1, maxLength: 3 }) : single];
  });
  const record = {
    ...Object.fromEntries(members),
    foreign: fc.array(foreign, { minLength: 1, maxLength: 2 }),
  };
  const required = fields.filter(([, { required }]) => required).map(([member]) => member);
  return fc.record<Record<string, unknown>>(record, { requiredKeys: required });
}

/** Bulletins with any members that the table allows, without regard to what references lead to. */
export const anyBulletin = anyObject("Event") as fc.Arbitrary<Bulletin>;
