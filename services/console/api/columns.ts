import type { ColumnName } from "#contracts/http/events.ts";
import type { ColumnsHeader, PackedColumn } from "#contracts/query/packed-columns.ts";
import { eventId, eventIdPlace } from "#contracts/seismic-event/ids.ts";
import type { EventColumns } from "../model/event-columns.ts";
import { type CallOptions, type QueryValues, send, whole } from "./call.ts";

type Values = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

const NAMES = ["id", "time", "latitude", "longitude", "depth", "magnitude"] as const;
const OPERATION = "GET /api/catalogues/:id/events/columns";
type Query = QueryValues<typeof OPERATION>;

/**
 * The events of a catalogue that satisfy the filters.
 * @param further columns beside place, time, depth and magnitude
 * @param onBytes how much has come, of how much where this is known
 * @throws CallError
 */
export async function readColumns(
  catalogue: string,
  query: Query,
  further: readonly ColumnName[] = [],
  options: CallOptions & { onBytes?: (read: number, all: number | null) => void } = {},
): Promise<EventColumns> {
  const columns = [...NAMES, ...further].join(",");
  const input = { params: { id: catalogue }, query: { ...query, columns } };
  const response = await send(OPERATION, input, { ...options, accept: "application/octet-stream" });
  return decodeColumns(await whole(() => bytesOf(response, options.onBytes)));
}

async function bytesOf(
  response: Response,
  onBytes?: (read: number, all: number | null) => void,
): Promise<ArrayBuffer> {
  if (!onBytes || !response.body) return response.arrayBuffer();
  const isPlain = response.headers.get("content-encoding") === null;
  const all = (isPlain && Number(response.headers.get("content-length"))) || null;
  let read = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
      transform: (piece, controller) => {
        read += piece.length;
        onBytes(read, all);
        controller.enqueue(piece as Uint8Array<ArrayBuffer>);
      },
    }),
  );
  return new Response(counted).arrayBuffer();
}

const MAGIC = "EQC1";
const HEADER_AT = 8;

/**
 * Lays arrays over packed columns, without copying them (contracts/http/events.ts).
 * @throws Error where these are none
 */
export function decodeColumns(body: ArrayBuffer): EventColumns {
  const text = new TextDecoder();
  const magic = text.decode(new Uint8Array(body, 0, Math.min(MAGIC.length, body.byteLength)));
  if (magic !== MAGIC) throw new Error("The answer holds no columns of events");
  const length = new DataView(body).getUint32(MAGIC.length, true);
  const header: ColumnsHeader = JSON.parse(text.decode(new Uint8Array(body, HEADER_AT, length)));
  const { catalogue, version, count, total } = header;
  const columns = new Map(header.columns.map((column) => [column.name, column]));
  const values = new Map(
    header.columns.map((column) => [column.name, valuesOf(body, column, count)]),
  );
  const numbers = (name: ColumnName): Float32Array | undefined => {
    const numbersOfColumn = values.get(name);
    return numbersOfColumn instanceof Float32Array ? numbersOfColumn : undefined;
  };
  const required = (name: ColumnName): Float32Array => numbers(name) ?? missing(name);
  const words = values.get("id") ?? missing("id");
  const time = values.get("time");
  const idOf = (i: number) => eventId(catalogue, words[2 * i] ?? 0, words[2 * i + 1] ?? 0);
  const indexOf = (id: string | null) => {
    if (id === null) return null;
    const { revision, index } = eventIdPlace(id);
    for (let i = 0; i < count; i++) {
      if (words[2 * i] === revision && words[2 * i + 1] === index) return idOf(i) === id ? i : null;
    }
    return null;
  };
  return {
    version,
    count,
    total,
    time: time instanceof Float64Array ? time : missing("time"),
    latitude: required("latitude"),
    longitude: required("longitude"),
    depth: required("depth"),
    magnitude: required("magnitude"),
    idOf,
    indexOf,
    numbers,
    textOf: (name, i) => columns.get(name)?.dictionary?.[values.get(name)?.[i] ?? 0] ?? null,
  };
}

function valuesOf(body: ArrayBuffer, { type, offset }: PackedColumn, count: number): Values {
  switch (type) {
    case "u32x2":
      return new Uint32Array(body, offset, 2 * count);
    case "f64":
      return new Float64Array(body, offset, count);
    case "f32":
      return new Float32Array(body, offset, count);
    case "u8":
      return new Uint8Array(body, offset, count);
    case "u16":
      return new Uint16Array(body, offset, count);
  }
}

function missing(name: ColumnName): never {
  throw new Error(`The answer has no column "${name}"`);
}
