import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  STRUCTURED_NAMES,
} from "#contracts/seismic-event/attributes.ts";
import { fractionDigits, postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { binaryCopyStream } from "#infra/postgres/copy/binary-copy.ts";
import {
  type CopyField,
  float8Field,
  int2Field,
  int4Field,
  jsonField,
  textField,
  timestamptzField,
} from "#infra/postgres/copy/copy-fields.ts";
import { uuidField } from "#infra/postgres/copy/uuid-fields.ts";

/** The rows of events as PostgreSQL copies them in its binary format; their ids are UUIDs. */
export async function copiedRows(events: readonly SeismicEvent[]): Promise<Buffer> {
  const of = (name: keyof SeismicEvent) => events.map((event) => event[name]) as never[];
  const attributes = ATTRIBUTE_NAMES.map((name): CopyField => {
    const { kind } = ATTRIBUTES[name];
    if (kind === "number") return float8Field(of(name));
    return kind === "integer" ? int4Field(of(name)) : textField(of(name));
  });
  const fields = [
    uuidField(of("id")),
    timestamptzField(events.map(({ time }) => postgresMicros(time))),
    ...attributes,
    ...STRUCTURED_NAMES.map((name) => jsonField(of(name))),
    int2Field(events.map(({ time }) => fractionDigits(time))),
  ];
  const block = { length: events.length, fields };
  const pieces: Buffer[] = [];
  for await (const piece of binaryCopyStream([block])) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The UUID of the n-th event. */
export const uuidOf = (n: number): string =>
  `0f0e1d2c-abcd-8000-8000-${n.toString(16).padStart(12, "0")}`;
