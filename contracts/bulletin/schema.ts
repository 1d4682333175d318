import { z } from "zod";
import {
  type Bulletin,
  type Field,
  type Foreign,
  QUAKEML_TYPES,
  type QuakemlObject,
  type TypeName,
} from "./quakeml.ts";

const ForeignAttribute = z.strictObject({
  ns: z.string().optional(),
  name: z.string().min(1),
  text: z.string(),
});

const ForeignBody: z.ZodType<Foreign> = z
  .strictObject({
    ns: z.string().describe("namespace"),
    name: z.string().min(1).describe("local name"),
    attribute: z.literal(true).optional().describe("an attribute, not an element"),
    at: z.string().optional().describe("the simple member on which the attribute stands"),
    text: z.string().optional(),
    attributes: z.array(ForeignAttribute).min(1).optional(),
    get children() {
      return z.array(ForeignBody).min(1).optional();
    },
  })
  .meta({ id: "ForeignElement" }) as unknown as z.ZodType<Foreign>;

function schemaOf(field: Field): z.ZodType {
  const schema = describe(simpleSchema(field), field);
  return field.many ? z.array(schema).min(1) : schema;
}

function simpleSchema(field: Field): z.ZodType {
  switch (field.kind) {
    case "real":
      return z.number();
    case "integer":
      return z.int();
    case "boolean":
      return z.boolean();
    case "enumeration":
      return z.enum(field.values as [string, ...string[]]);
    case "object":
      return bodyOf(field.type as TypeName);
    case "text":
      return field.maxLength === undefined ? z.string() : z.string().max(field.maxLength);
    case "id":
    case "reference":
    case "resource":
    case "time":
      return z.string();
  }
}

function describe(schema: z.ZodType, { unit, to }: Field): z.ZodType {
  if (unit !== undefined) return schema.describe(unit);
  return to === undefined ? schema : schema.describe(`publicID of a ${to} of the event`);
}

const bodies = new Map<TypeName, z.ZodType>();

/** A type's schema, made once: no type holds itself. */
function bodyOf(name: TypeName): z.ZodType {
  const known = bodies.get(name);
  if (known !== undefined) return known;
  const shape: Record<string, z.ZodType> = {};
  for (const [member, field] of Object.entries<Field>(QUAKEML_TYPES[name])) {
    const schema = schemaOf(field);
    shape[member] = field.required ? schema : schema.optional();
  }
  const body = z
    .strictObject({ ...shape, foreign: z.array(ForeignBody).min(1).optional() })
    .meta({ id: `QuakeML${name}` });
  bodies.set(name, body);
  return body;
}

/** A bulletin as clients send and receive it. */
export const BulletinBody = bodyOf("Event") as z.ZodType<Bulletin>;

/** A comment as it stands in a bulletin. */
export const CommentBody = bodyOf("Comment") as z.ZodType<QuakemlObject<"Comment">>;

/** What became of an object of a bulletin between two versions. */
const SolutionChange = z
  .object({
    kind: z.string().describe("the element's name in QuakeML; event for the event's own members"),
    publicID: z.string(),
    change: z.enum(["added", "updated", "removed"]),
    members: z.array(z.string()).optional().describe("those that differ, of an updated one"),
  })
  .meta({ id: "SolutionChange" });

/** What a change of an event says of its bulletin, where that differs. */
export const solutionChangesShape = {
  solutions: z
    .array(SolutionChange)
    .optional()
    .describe("of an updated event whose bulletin differs: in what, the first 1,000"),
  solutionsTruncated: z.literal(true).optional().describe("more differ, or are not looked at"),
};

export type SolutionChange = z.infer<typeof SolutionChange>;

export type SolutionChanges = {
  readonly solutions: SolutionChange[];
  /** Set where more have changed. */
  readonly solutionsTruncated?: true;
};
