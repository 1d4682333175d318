import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import { type Column, nameOf } from "../columns/column.ts";
import { isOwn } from "../shared/drafts.ts";

type IsHeld = (value: unknown) => boolean;

/** The members of an object that its lines hold, by their paths, and `#name` of foreign elements. */
export type Held = ReadonlyMap<string, IsHeld>;

const anything: IsHeld = () => true;

/**
 * What columns hold of an object, and what else its lines do.
 * @param more paths of which any value is held, or only one that satisfies a condition
 */
export function heldBy(
  columns: readonly Column[],
  object: string,
  more: Readonly<Record<string, IsHeld | true>> = {},
): Held {
  const held = new Map<string, IsHeld>();
  for (const column of columns.filter((one) => one.object === object)) {
    if (!column.isForeign) held.set(column.path.join("."), anything);
    if (column.isForeign || column.kind === "code") held.set(`#${nameOf(column)}`, anything);
  }
  for (const [path, condition] of Object.entries(more)) {
    held.set(path, condition === true ? anything : condition);
  }
  return held;
}

const NOTHING: Held = new Map();

/** How many simple values of an object, and of what is in it, are not held. */
export function countLeft(object: object, held: Held = NOTHING, path = ""): number {
  let count = 0;
  for (const [name, value] of Object.entries(object)) {
    if (name === "foreign") count += countForeign(value as readonly Foreign[], held);
    else count += countValue(value, held, path === "" ? name : `${path}.${name}`);
  }
  return count;
}

/** As `countLeft`, of a list of objects. */
export function countLeftIn(objects: readonly object[], held: Held = NOTHING): number {
  return objects.reduce((sum, object) => sum + countLeft(object, held), 0);
}

function countValue(value: unknown, held: Held, path: string): number {
  if (value === undefined || held.get(path)?.(value) === true) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + countValue(item, held, path), 0);
  }
  return typeof value === "object" && value !== null ? countLeft(value, held, path) : 1;
}

function countForeign(elements: readonly Foreign[], held: Held): number {
  return elements.reduce((sum, element) => {
    const { name, attributes = [], children = [] } = element;
    const isHeld = isOwn(element) && held.has(`#${name}`);
    return sum + (isHeld ? 0 : 1) + attributes.length + countForeign(children, NOTHING);
  }, 0);
}
