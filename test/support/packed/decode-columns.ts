import type { ScalarName } from "#contracts/http/events.ts";
import type { ColumnsHeader, PackedColumn } from "#contracts/query/packed-columns.ts";
import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { eventId } from "#contracts/seismic-event/ids.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { timeToMicros } from "#contracts/seismic-event/time.ts";

type Value = string | number | null;

export type DecodedColumns = {
  readonly header: ColumnsHeader;
  /** In the header's order; ids and texts as texts, unknown values null. */
  readonly values: readonly (readonly Value[])[];
};

/** Decodes packed columns by their description in contracts/docs/events.md, as any client does. */
export function decodeColumns(body: Uint8Array): DecodedColumns {
  // Of its own, so that arrays can be laid over it.
  const { buffer } = new Uint8Array(body);
  const magic = Buffer.from(buffer, 0, 4).toString();
  if (magic !== "EQC1") throw new Error(`these are no columns: ${magic}`);
  const length = new DataView(buffer).getUint32(4, true);
  const header: ColumnsHeader = JSON.parse(Buffer.from(buffer, 8, length).toString());
  return { header, values: header.columns.map((column) => valuesOf(buffer, header, column)) };
}

function valuesOf(
  buffer: ArrayBuffer,
  { catalogue, count }: ColumnsHeader,
  { type, offset, dictionary = [] }: PackedColumn,
): Value[] {
  switch (type) {
    case "u32x2": {
      const words = new Uint32Array(buffer, offset, 2 * count);
      const idAt = (i: number) => eventId(catalogue, words[2 * i] ?? -1, words[2 * i + 1] ?? -1);
      return Array.from({ length: count }, (_, i) => idAt(i));
    }
    case "f64":
      return [...new Float64Array(buffer, offset, count)];
    case "f32":
      return Array.from(new Float32Array(buffer, offset, count), (n) =>
        Number.isNaN(n) ? null : n,
      );
    case "u8":
      return Array.from(new Uint8Array(buffer, offset, count), (i) => textAt(dictionary, i));
    case "u16":
      return Array.from(new Uint16Array(buffer, offset, count), (i) => textAt(dictionary, i));
  }
}

function textAt(dictionary: readonly (string | null)[], index: number): string | null {
  const text = dictionary[index];
  if (text === undefined) throw new Error(`there is no text ${index} of ${dictionary.length}`);
  return text;
}

/** What a column has to hold of an event as `/filtered` answers it. */
export function packedValue(event: SeismicEvent, name: ScalarName): Value {
  const value = event[name];
  if (name === "time") return millisecondsOf(event.time);
  if (name === "id" || value === null) return value;
  const { kind } = ATTRIBUTES[name];
  return kind === "number" || kind === "integer" ? Math.fround(Number(value)) : value;
}

/** The number nearest to the exact milliseconds since 1970. */
function millisecondsOf(time: string): number {
  const micros = timeToMicros(time);
  const digits = String(micros < 0n ? -micros : micros).padStart(4, "0");
  return Number(`${micros < 0n ? "-" : ""}${digits.slice(0, -3)}.${digits.slice(-3)}`);
}
