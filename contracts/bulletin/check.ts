import { type Field, MAX_FOREIGN_DEPTH, QUAKEML_TYPES, type TypeName } from "./quakeml.ts";

/** What is wrong with a submitted bulletin: `path` leads to the value, as `origin[0].depth.value`. */
export type BulletinFault = { readonly path: string; readonly message: string };

type Checked = BulletinFault | null;
type Fields = ReadonlyMap<string, Field>;

const FIELDS: ReadonlyMap<string, Fields> = new Map(
  Object.entries(QUAKEML_TYPES).map(([name, fields]) => [name, new Map(Object.entries(fields))]),
);
const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map(
  [...FIELDS].map(([name, fields]) => [
    name,
    [...fields].filter(([, { required }]) => required).map(([member]) => member),
  ]),
);

/** XML 1.0 cannot hold other characters, nor half of a surrogate pair. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const DATE_TIME = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/**
 * The first fault of a value as a bulletin, by the table of types; null where it is one. Does what
 * BulletinBody does, and what JSON allows and XML does not, without a copy of a large bulletin.
 */
export function bulletinFault(value: unknown): Checked {
  return objectFault(value, "Event", "");
}

function objectFault(value: unknown, type: TypeName, path: string): Checked {
  if (!isObject(value)) return { path, message: "must be an object" };
  const fields = FIELDS.get(type) as Fields;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const at = path === "" ? name : `${path}.${name}`;
    const fault =
      name === "foreign" ? foreignFault(member, at, 1) : memberFault(member, fields.get(name), at);
    if (fault !== null) return fault;
  }
  const missing = REQUIRED.get(type)?.find((name) => !Object.hasOwn(value, name));
  if (missing === undefined) return null;
  return { path: path === "" ? missing : `${path}.${missing}`, message: "is required" };
}

function memberFault(value: unknown, field: Field | undefined, path: string): Checked {
  if (field === undefined) return { path, message: "is no member of QuakeML" };
  if (!field.many) return valueFault(value, field, path);
  return listFault(value, path, (item, at) => valueFault(item, field, at));
}

function listFault(
  value: unknown,
  path: string,
  check: (item: unknown, path: string) => Checked,
): Checked {
  if (!Array.isArray(value) || value.length === 0) {
    return { path, message: "must be a list with a member or more" };
  }
  for (let i = 0; i < value.length; i++) {
    const fault = check(value[i], `${path}[${i}]`);
    if (fault !== null) return fault;
  }
  return null;
}

function valueFault(value: unknown, field: Field, path: string): Checked {
  switch (field.kind) {
    case "object":
      return objectFault(value, field.type as TypeName, path);
    case "real":
      return Number.isFinite(value) ? null : { path, message: "must be a number" };
    case "integer":
      return Number.isSafeInteger(value) ? null : { path, message: "must be an integer" };
    case "boolean":
      return typeof value === "boolean" ? null : { path, message: "must be true or false" };
    case "enumeration":
      return field.values?.includes(value as string)
        ? null
        : { path, message: "is none of the values known for it" };
    case "time":
      return typeof value === "string" && DATE_TIME.test(value)
        ? null
        : { path, message: "must be an ISO 8601 time" };
    case "text":
    case "id":
    case "reference":
    case "resource":
      return textFault(value, path, field.maxLength);
  }
}

function textFault(value: unknown, path: string, maxLength = Number.POSITIVE_INFINITY): Checked {
  if (typeof value !== "string") return { path, message: "must be a text" };
  if (value.length > maxLength) {
    return { path, message: `must not be longer than ${maxLength} characters` };
  }
  return NOT_IN_XML.test(value)
    ? { path, message: "holds characters that XML does not allow" }
    : null;
}

const TEXTS_OF_FOREIGN: readonly string[] = ["ns", "name", "at", "text"];

function foreignFault(value: unknown, path: string, depth: number): Checked {
  if (depth > MAX_FOREIGN_DEPTH) {
    return { path, message: `is nested deeper than ${MAX_FOREIGN_DEPTH} levels` };
  }
  return listFault(value, path, (item, at) => {
    if (!isObject(item)) return { path: at, message: "must be an object" };
    for (const name of Object.keys(item)) {
      const fault = foreignMemberFault(item[name], name, `${at}.${name}`, depth);
      if (fault !== null) return fault;
    }
    if (typeof item["ns"] !== "string") return { path: `${at}.ns`, message: "is required" };
    return nameFault(item, at);
  });
}

function foreignMemberFault(value: unknown, name: string, path: string, depth: number): Checked {
  if (TEXTS_OF_FOREIGN.includes(name)) return textFault(value, path);
  if (name === "attribute") return value === true ? null : { path, message: "must be true" };
  if (name === "children") return foreignFault(value, path, depth + 1);
  if (name === "attributes") return listFault(value, path, attributeFault);
  return { path, message: "is no member of a foreign element" };
}

function attributeFault(value: unknown, path: string): Checked {
  if (!isObject(value)) return { path, message: "must be an object" };
  for (const name of Object.keys(value)) {
    if (!["ns", "name", "text"].includes(name)) {
      return { path: `${path}.${name}`, message: "is no member of an attribute" };
    }
    const fault = textFault(value[name], `${path}.${name}`);
    if (fault !== null) return fault;
  }
  if (!Object.hasOwn(value, "text")) return { path: `${path}.text`, message: "is required" };
  return nameFault(value, path);
}

function nameFault({ name }: Record<string, unknown>, path: string): Checked {
  return name === undefined || name === ""
    ? { path: `${path}.name`, message: "is required" }
    : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
