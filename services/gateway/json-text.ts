/** A list in an answer's body whose items are JSON already: those of a `T`. */
export class JsonList<Item> {
  readonly items: readonly string[];
  /** Tells apart what is written by what it means. */
  declare readonly means: Item[];

  constructor(items: readonly string[]) {
    this.items = items;
  }

  toJSON(): Item[] {
    return this.items.map((text) => JSON.parse(text));
  }
}

/** A body whose events may be JSON already. */
export type PartlyWritten<Body> = Body extends { events: (infer Item)[] }
  ? Omit<Body, "events"> & { events: Item[] | JsonList<Item> }
  : Body;

/** JSON of a body; what is JSON already is neither read nor written again, and copied once. */
export function writeBody(body: unknown): string | Buffer {
  const members = Object.entries(body as object);
  if (!members.some(([, value]) => value instanceof JsonList)) return JSON.stringify(body);
  const parts: string[] = [];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    parts.push(parts.length === 0 ? "{" : ",", JSON.stringify(name), ":");
    if (value instanceof JsonList) pushList(parts, value.items);
    else parts.push(JSON.stringify(value));
  }
  parts.push("}");
  return Buffer.from(parts.join(""));
}

function pushList(parts: string[], items: readonly string[]): void {
  parts.push("[");
  for (const [i, item] of items.entries()) {
    if (i > 0) parts.push(",");
    parts.push(item);
  }
  parts.push("]");
}
