import { invalid, type Refusal } from "#contracts/errors.ts";
import { COLUMNS_LIMITS, type ColumnName } from "#contracts/http/events/event-columns.ts";
import type { TextStore } from "../columnar/text-store.ts";
import type { PackedValues } from "./packed-values.ts";

type Column = { readonly name: ColumnName; readonly values: PackedValues };

/** @throws Refusal VALIDATION_ERROR when there are more texts than a header can hold */
export function requireFewTexts(columns: readonly Column[]): void {
  let bytes = 0;
  for (const { name, values } of columns) {
    bytes += values.texts?.byteLength ?? 0;
    if ((values.texts?.length ?? 0) > COLUMNS_LIMITS.texts) {
      throw tooMany(`${name} has more than ${COLUMNS_LIMITS.texts} different texts`);
    }
  }
  if (bytes > COLUMNS_LIMITS.textBytes) {
    throw tooMany(`the texts have more than ${COLUMNS_LIMITS.textBytes} bytes`);
  }
}

function tooMany(what: string): Refusal {
  return invalid("columns", `${what}: exports have them`);
}

/** The texts by index; null is the first. */
export function dictionaryOf(texts: TextStore): (string | null)[] {
  const each = Array.from({ length: texts.length }, (_, i) => Buffer.from(texts.at(i)).toString());
  return [null, ...each];
}

/** The lower bytes of integers of 16 bits, which may be cut anywhere. */
export async function* lowBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of pieces) {
    const first = at % 2;
    const low = new Uint8Array(Math.ceil((piece.length - first) / 2));
    for (let i = 0; i < low.length; i += 1) low[i] = piece[first + 2 * i] as number;
    at += piece.length;
    yield low;
  }
}
