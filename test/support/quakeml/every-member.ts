import {
  type Bulletin,
  type Field,
  type Kind,
  QUAKEML_TYPES,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";

/** Values of the table's kinds, in the order in which they are asked for. */
export type MemberSource = {
  /** How many of a member there are. */
  readonly count: (field: Field) => number;
  readonly value: (field: Field) => unknown;
  readonly id: (kind: string) => string;
  readonly foreign: (type: TypeName) => readonly object[];
};

/** An object of a type with the members that a source gives; undefined without any. */
export function objectOf(
  type: TypeName,
  name: string,
  source: MemberSource,
): Record<string, unknown> | undefined {
  const object: Record<string, unknown> = {};
  for (const [member, field] of Object.entries<Field>(QUAKEML_TYPES[type])) {
    const count = source.count(field);
    const values = Array.from({ length: count }, () => memberValue(member, field, name, source));
    const present = values.filter((value) => value !== undefined);
    if (present.length > 0) object[member] = field.many ? present : present[0];
  }
  const foreign = source.foreign(type);
  if (foreign.length > 0) object["foreign"] = foreign;
  return Object.keys(object).length === 0 ? undefined : object;
}

function memberValue(member: string, field: Field, name: string, source: MemberSource): unknown {
  if (field.kind === "object") return objectOf(field.type as TypeName, member, source);
  return field.kind === "id" ? source.id(name) : source.value(field);
}

/** A bulletin with every member of the table, each list twice, and references that lead somewhere. */
export function everyMember(foreign: (type: TypeName) => readonly object[] = () => []): Bulletin {
  let number = 0;
  const ids = new Map<string, number>();
  const first = (kind: Kind) => `smi:local.test/${kind}/1`;
  const source: MemberSource = {
    count: ({ many }) => (many ? 2 : 1),
    id(kind) {
      const place = (ids.get(kind) ?? 0) + 1;
      ids.set(kind, place);
      return `smi:local.test/${kind}/${place}`;
    },
    value({ kind, values = [], to, maxLength = 40 }) {
      number++;
      switch (kind) {
        case "real":
          return (number % 8) + 0.125;
        case "integer":
          return number;
        case "boolean":
          return number % 2 === 0;
        case "enumeration":
          return values[number % values.length];
        case "time":
          return `2024-01-01T00:00:00.${number}Z`;
        case "reference":
          return first(to as Kind);
        case "resource":
          return `smi:local.test/resource/${number}`;
        default:
          return ` <text> & "${number}" 地震 `.slice(0, maxLength);
      }
    },
    foreign,
  };
  return objectOf("Event", "event", source) as Bulletin;
}
