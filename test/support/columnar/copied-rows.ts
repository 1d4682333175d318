import type { ScalarName } from "#contracts/http/events.ts";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { fractionDigits, postgresMicros } from "#contracts/seismic-event/time.ts";
import {
  binaryCopyStream,
  type CopyField,
  float8Field,
  int2Field,
  int4Field,
  jsonField,
  nullField,
  textField,
  timestamptzField,
  uuidField,
} from "#infra/postgres/copy/binary-copy.ts";

/** The rows of events as PostgreSQL copies them in its binary format; their ids are UUIDs. */
export function copiedRows(events: readonly SeismicEvent[]): Promise<Buffer> {
  return copyOf(events, [
    ...SCALARS.map((name) => fieldOf(name, events)),
    ...STRUCTURED_NAMES.map((name) => jsonField(events.map((event) => event[name]))),
    // None has a bulletin, of which the hash would stand here.
    nullField,
    int2Field(events.map(({ time }) => fractionDigits(time))),
  ]);
}

/** The same with these columns alone. */
export function copiedColumns(
  events: readonly SeismicEvent[],
  names: readonly ScalarName[],
): Promise<Buffer> {
  return copyOf(
    events,
    names.map((name) => fieldOf(name, events)),
  );
}

const SCALARS: readonly ScalarName[] = ["id", "time", ...ATTRIBUTE_NAMES];

function fieldOf(name: ScalarName, events: readonly SeismicEvent[]): CopyField {
  const values = events.map((event) => event[name]) as never[];
  if (name === "id") return uuidField(values);
  if (name === "time") return timestamptzField(events.map(({ time }) => postgresMicros(time)));
  const { kind } = ATTRIBUTES[name];
  if (kind === "number") return float8Field(values);
  return kind === "integer" ? int4Field(values) : textField(values);
}

async function copyOf(
  { length }: readonly SeismicEvent[],
  fields: readonly CopyField[],
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of binaryCopyStream([{ length, fields }])) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The UUID of the n-th event. */
export const uuidOf = (n: number): string =>
  `0f0e1d2c-abcd-8000-8000-${n.toString(16).padStart(12, "0")}`;
