/** A member of an answer's body that is JSON already: that of a `T`. */
export class JsonText<T> {
  readonly text: string;
  /** Tells apart what is written by what it means. */
  declare readonly means: T;

  private constructor(text: string) {
    this.text = text;
  }

  /** The list of what was written one by one. */
  static list<Item>(items: readonly string[]): JsonText<Item[]> {
    return new JsonText(`[${items.join(",")}]`);
  }

  toJSON(): T {
    return JSON.parse(this.text);
  }
}

/** A body whose events may be JSON already. */
export type PartlyWritten<Body> = Body extends { events: infer Events }
  ? Omit<Body, "events"> & { events: Events | JsonText<Events> }
  : Body;

/** JSON of a body; what is JSON already is neither read nor written again. */
export function writeBody(body: unknown): string {
  const members = Object.entries(body as object);
  if (!members.some(([, value]) => value instanceof JsonText)) return JSON.stringify(body);
  const texts = members
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`);
  return `{${texts.join(",")}}`;
}

function textOf(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value);
}
