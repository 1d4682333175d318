import { z } from "zod";
import { MAX_WARNINGS, type Warning } from "#contracts/http/warnings.ts";
import { meantName } from "#contracts/seismic-event/meant-name.ts";

/**
 * The members of a value that its schema does not know and so leaves out, the first 100; of one that is a
 * letter or two off a known one it says which. What may have any members has none that are unknown.
 */
export function unknownMembers(schema: z.core.$ZodType, value: unknown): Warning[] {
  const warnings: Warning[] = [];
  look(schema, value, "", warnings);
  return warnings;
}

function look(schema: z.core.$ZodType, value: unknown, path: string, warnings: Warning[]): void {
  if (warnings.length >= MAX_WARNINGS || typeof value !== "object" || value === null) return;
  if (schema instanceof z.ZodObject) lookAtMembers(schema, value, path, warnings);
  else if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) {
      look(schema.element, item, `${path}.${index}`, warnings);
    }
  } else if (schema instanceof z.ZodUnion) {
    warnings.push(...ofUnion(schema, value, path));
  } else if (schema instanceof z.ZodRecord) {
    for (const [name, item] of Object.entries(value)) {
      look(schema.valueType, item, `${path}.${name}`, warnings);
    }
  } else if (schema instanceof z.ZodPipe) look(schema.in, value, path, warnings);
  else if (isWrapper(schema)) look(schema.unwrap(), value, path, warnings);
}

/** Of the option that knows most: of those that take the value, or else, since a part of it may be left out, of all. */
function ofUnion({ options }: z.ZodUnion, value: object, path: string): Warning[] {
  const taking = options.filter((option) => z.safeParse(option, value).success);
  const objects = options.filter((option) => option instanceof z.ZodObject);
  const [fewest = []] = (taking.length > 0 ? taking : objects)
    .map((option) => {
      const own: Warning[] = [];
      look(option, value, path, own);
      return own;
    })
    .sort((a, b) => a.length - b.length);
  return fewest;
}

function isWrapper(schema: z.core.$ZodType) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodLazy
  );
}

function lookAtMembers(
  { shape, def }: z.ZodObject,
  value: object,
  path: string,
  warnings: Warning[],
): void {
  const known: Readonly<Record<string, z.core.$ZodType>> = shape;
  for (const [name, item] of Object.entries(value)) {
    const own = `${path}.${name}`;
    const member = Object.hasOwn(known, name) ? known[name] : undefined;
    if (member !== undefined) look(member, item, own, warnings);
    else if (def.catchall === undefined && warnings.length < MAX_WARNINGS) {
      const message = `is not known and has no effect${meantName(name, Object.keys(known))}`;
      warnings.push({ path: own.slice(1), message });
    }
  }
}
