/** The part of JSON Schema by which the OpenAPI document describes bodies. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
};

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** One thing that is wrong of one member of a body. */
export type Fault = {
  /** Its names, 0 for the first of a list. */
  readonly path: readonly (string | number)[];
  readonly kind: string;
  readonly body: unknown;
};

const OF_TYPE = { string: "text", number: 7, boolean: true, array: [7], object: { a: 1 } };
/** Of texts that the schema does not bound. */
const LONGEST_TEXT = 20_000;
/** Longer lists are left to tests of their own. */
const LONGEST_LIST = 10_000;
const MISLEADING = {
  "a NUL": "a misleading\0text",
  "half a surrogate pair": "a misleading\ud800text",
  "a bidi control": "a misleading\u202etext",
};

/**
 * A walker over schemas: each member of a body missing, null, of each wrong type, below, above, a fraction, too
 * short, too long, none of those listed, and of misleading texts; nested members and items of lists too. Of what is
 * described as not looked at, nothing.
 * @param schemas what is referred to
 * @param isKnown whether all faults of a member have been made before, by its name and schema: then only the first is made
 */
export function schemaFaults(
  body: JsonSchema,
  valid: unknown,
  schemas: Schemas,
  isKnown: (member: string) => boolean,
): Fault[] {
  const faults = new Map<string, Fault>();
  const within = new Set<JsonSchema>();
  faultsBelow(body, valid, [], (value) => value);
  return [...faults.values()];

  function add(path: Fault["path"], kind: string, made: unknown): void {
    const key = `${path.join(".")} ${kind}`;
    // Branches of a union share members.
    if (!faults.has(key)) faults.set(key, { path, kind, body: made });
  }

  function faultsOf(
    schema: JsonSchema,
    value: unknown,
    path: Fault["path"],
    place: (value: unknown) => unknown,
  ): void {
    if (schema.description === "not looked at") return;
    const wrong = wrongValues(branchesOf(schema));
    const known = isKnown(JSON.stringify([path.at(-1), schema]));
    for (const [kind, instead] of known ? wrong.slice(0, 1) : wrong)
      add(path, kind, place(instead));
    if (!known) faultsBelow(schema, value, path, place);
  }

  function faultsBelow(
    schema: JsonSchema,
    value: unknown,
    path: Fault["path"],
    place: (value: unknown) => unknown,
  ): void {
    for (const branch of branchesOf(schema)) {
      // A schema may hold itself.
      if (within.has(branch)) continue;
      within.add(branch);
      const { items, properties = {}, required = [], additionalProperties: other } = branch;
      if (items) {
        const [first, ...rest] = Array.isArray(value) && value.length > 0 ? value : listOf(branch);
        faultsOf(items, first, [...path, 0], (item) => place([item, ...rest]));
      }
      const own = isOf(branch, value) ? value : (sampleOf(branch) as Record<string, unknown>);
      for (const name of required) {
        const { [name]: _, ...others } = own;
        add([...path, name], "missing", place(others));
      }
      const named = Object.entries(properties);
      if (typeof other === "object") named.push(["other", other]);
      for (const [name, member] of named) {
        faultsOf(member, own[name] ?? sampleOf(member), [...path, name], (instead) =>
          place({ ...own, [name]: instead }),
        );
      }
      within.delete(branch);
    }
  }

  /** What a value may be: references and unions within unions resolved. */
  function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
    const { $ref, anyOf, oneOf } = schema;
    if ($ref) return branchesOf(schemas[$ref.replace("#/components/schemas/", "")] ?? {});
    return (anyOf ?? oneOf)?.flatMap(branchesOf) ?? [schema];
  }

  function listOf({ items = {}, minItems = 1 }: JsonSchema): unknown[] {
    return Array.from({ length: Math.max(minItems, 1) }, () => sampleOf(items));
  }

  /** A small value of a schema. */
  function sampleOf(schema: JsonSchema): unknown {
    const [branch = {}] = branchesOf(schema);
    const { required = [], properties = {}, format, minimum = 1, minLength = 1 } = branch;
    const value = branch.const ?? branch.enum?.[0];
    if (value !== undefined) return value;
    const samples: Record<string, () => unknown> = {
      object: () =>
        Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})])),
      array: () => listOf(branch),
      string: () =>
        format === "uuid" ? "0b7f5e0e-6c3d-4b54-9a2b-1d6b2f1c8a01" : "x".repeat(minLength || 1),
      number: () => minimum,
      integer: () => minimum,
      boolean: () => true,
    };
    return samples[typesOf(branch)[0] ?? ""]?.() ?? null;
  }
}

/** Whether it is of this branch of a union, by what tells branches apart. */
function isOf(branch: JsonSchema, value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const { required = [], properties = {} } = branch;
  const members: Readonly<Record<string, unknown>> = { ...value };
  return (
    required.every((name) => name in members) &&
    Object.entries(properties).every(([name, { const: only = members[name] }]) => {
      return members[name] === only;
    })
  );
}

function typesOf({ type, enum: values, const: only }: JsonSchema): readonly string[] {
  if (type !== undefined) return [type].flat();
  return [...(values ?? []), only].filter((value) => value !== undefined).map((one) => typeof one);
}

/** Of what may be anything, none. Bounds are those of a type that one branch alone has. */
function wrongValues(branches: readonly JsonSchema[]): [string, unknown][] {
  const types = new Set(branches.flatMap(typesOf));
  if (types.size === 0) return [];
  if (types.has("integer")) types.add("number");
  const wrong: [string, unknown][] = types.has("null") ? [] : [["null", null]];
  for (const [type, value] of Object.entries(OF_TYPE)) {
    if (!types.has(type)) wrong.push([`of type ${type}`, value]);
  }
  const only = (...some: string[]) => {
    const [one, ...others] = branches.filter((branch) =>
      typesOf(branch).some((type) => some.includes(type)),
    );
    return others.length === 0 ? one : undefined;
  };
  const number = only("number", "integer");
  if (number) wrong.push(...wrongNumbers(number));
  const text = only("string");
  if (text) wrong.push(...wrongTexts(text));
  const { minItems = 0, maxItems = Infinity } = only("array") ?? {};
  if (minItems > 0) wrong.push(["too few", []]);
  if (maxItems <= LONGEST_LIST) wrong.push(["too many", Array(maxItems + 1).fill(null)]);
  return wrong;
}

function wrongNumbers(schema: JsonSchema): [string, unknown][] {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const wrong: [string, unknown][] = [];
  if (minimum !== undefined) wrong.push(["below", minimum - 1]);
  if (above !== undefined) wrong.push(["not above", above]);
  if (maximum !== undefined) wrong.push(["above", maximum + 1]);
  if (below !== undefined) wrong.push(["not below", below]);
  if (typesOf(schema).includes("integer")) wrong.push(["a fraction", (minimum ?? 0) + 0.5]);
  return wrong;
}

function wrongTexts({ minLength = 0, maxLength = LONGEST_TEXT, ...schema }: JsonSchema) {
  const wrong: [string, unknown][] = [["too long", "x".repeat(maxLength + 1)]];
  if (minLength > 0) wrong.push(["too short", "x".repeat(minLength - 1)]);
  if (schema.enum ?? schema.const ?? schema.format ?? schema.pattern)
    wrong.push(["none of these", "No such!"]);
  return [...wrong, ...Object.entries(MISLEADING)];
}
