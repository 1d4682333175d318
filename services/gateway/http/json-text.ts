/**
 * A list in an answer's body that is serialised already, in UTF-8: pieces of one or more items, with
 * commas between.
 */
export class JsonList<Item> {
  readonly pieces: readonly Buffer[];
  /** Distinguishes lists by the type of their items. */
  declare readonly means: Item[];

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
  }

  toJSON(): Item[] {
    return JSON.parse(`[${this.pieces.join(",")}]`);
  }
}

/** A body whose events may be serialised already. */
export type PartlyWritten<Body> = Body extends { events: (infer Item)[] }
  ? Omit<Body, "events"> & { events: Item[] | JsonList<Item> }
  : Body;

/** Serialises a body in pieces; parts that are JSON already are passed through. */
export function writeBody(body: unknown): Buffer[] {
  const members = Object.entries(body as object);
  if (!members.some(([, value]) => value instanceof JsonList)) {
    return [Buffer.from(JSON.stringify(body))];
  }
  const pieces: Buffer[] = [];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const head = `${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`;
    if (value instanceof JsonList) pushList(pieces, head, value.pieces);
    else pieces.push(Buffer.from(head + JSON.stringify(value)));
  }
  pieces.push(Buffer.from("}"));
  return pieces;
}

const COMMA = Buffer.from(",");

function pushList(pieces: Buffer[], head: string, list: readonly Buffer[]): void {
  pieces.push(Buffer.from(`${head}[`));
  for (const [i, piece] of list.entries()) {
    if (i > 0) pieces.push(COMMA);
    pieces.push(piece);
  }
  pieces.push(Buffer.from("]"));
}
