import { Readable } from "node:stream";
import type { AnswerScope } from "../capacity/answer-scope.ts";

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

/** A value in an answer's body that is serialised already, in UTF-8. */
export class JsonItem<Item> {
  readonly bytes: Buffer;
  /** Distinguishes items by their type. */
  declare readonly means: Item;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  toJSON(): Item {
    return JSON.parse(this.bytes.toString());
  }
}

/** Members of bodies that may be long: lists, and items. */
type Listed = "events" | "bins" | "series" | "decisions";
type Single = "event";

/** A body whose long members may be serialised already. */
export type PartlyWritten<Body> = Body extends object
  ? {
      [Name in keyof Body]: Name extends Listed
        ? Body[Name] | JsonList<Extract<Body[Name], readonly unknown[]>[number]>
        : Name extends Single
          ? Body[Name] | JsonItem<Body[Name]>
          : Body[Name];
    }
  : Body;

/** The member of a list's answer by which it is read on; none at its end. */
export function following(nextCursor: string | null): { readonly nextCursor?: string } {
  return nextCursor === null ? {} : { nextCursor };
}

/** Serialises a body in pieces; parts that are JSON already are passed through. */
export function writeBody(body: unknown): Buffer[] {
  const members = Object.entries(body as object);
  if (!members.some(([, value]) => value instanceof JsonList || value instanceof JsonItem)) {
    return [Buffer.from(JSON.stringify(body))];
  }
  const pieces: Buffer[] = [];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const head = `${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`;
    if (value instanceof JsonList) pushList(pieces, head, value.pieces);
    else if (value instanceof JsonItem) pieces.push(Buffer.from(head), value.bytes);
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

/** The pieces of an answer, made as its client reads them. */
export type AnswerPieces = AsyncGenerator<string | Uint8Array>;

/** Pieces that wait for a slow client; further ones are not made yet. */
const WAITING_PIECES = 4;

/**
 * Streams pieces, each made only after the previous ones were read. The generator is closed when the
 * answer is over, whether or not it ever started, which a stream that was never read does not do.
 * The first piece is made before this resolves, so that an early failure is answered as an error.
 */
export async function answerStream(pieces: AnswerPieces, scope: AnswerScope): Promise<Readable> {
  scope.own(() => pieces.return(undefined));
  const first = await pieces.next();
  return Readable.from(continued(first, pieces), { highWaterMark: WAITING_PIECES });
}

async function* continued(
  first: IteratorResult<string | Uint8Array>,
  rest: AnswerPieces,
): AsyncGenerator<string | Uint8Array> {
  for (let piece = first; !piece.done; piece = await rest.next()) {
    if (piece.value.length > 0) yield piece.value;
  }
}
