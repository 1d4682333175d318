import type { CopyBuffer } from "./copy-buffer.ts";

/**
 * Writes one column's value in a row: its length in bytes, then its bytes. Each kind reads its
 * values itself: passing them through a row object would allocate a heap object for every number.
 */
export type CopyField = (buffer: CopyBuffer, row: number) => void;

/** A column's values by row. */
export type Values<V> = readonly (V | null | undefined)[];

const NULL_LENGTH = -1;

export function nullField(buffer: CopyBuffer): void {
  buffer.int32(NULL_LENGTH);
}

/** Uses the first value of `field` in every row. */
export function sameInEveryRow(field: CopyField): CopyField {
  return (buffer) => field(buffer, 0);
}

export function int2Field(values: Values<number>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    requireInteger(value, -(2 ** 15), 2 ** 15 - 1);
    buffer.int32(2);
    buffer.int16(value);
  };
}

export function int4Field(values: Values<number>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    requireInteger(value, -(2 ** 31), 2 ** 31 - 1);
    buffer.int32(4);
    buffer.int32(value);
  };
}

export function float8Field(values: Values<number>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(8);
    buffer.float64(value);
  };
}

/** Text without NUL, which PostgreSQL refuses. */
export function textField(values: Values<string>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.text(value);
  };
}

export function booleanField(values: Values<boolean>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(1);
    buffer.bytes(Uint8Array.of(value ? 1 : 0));
  };
}

export function byteaField(values: Values<Uint8Array>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(value.length);
    buffer.bytes(value);
  };
}

const INT4_OID = 23;

/** Lists of one dimension, from 1 on, without nulls. */
export function int4ListField(values: Values<readonly number[]>): CopyField {
  return (buffer, row) => {
    const list = values[row];
    if (list === null || list === undefined) return nullField(buffer);
    buffer.int32(20 + 8 * list.length);
    for (const head of [1, 0, INT4_OID, list.length, 1]) buffer.int32(head);
    for (const value of list) {
      requireInteger(value, -(2 ** 31), 2 ** 31 - 1);
      buffer.int32(4);
      buffer.int32(value);
    }
  };
}

/** Values as JSON; not for jsonb, whose format begins with a version. */
export function jsonField(values: Values<unknown>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.text(JSON.stringify(value));
  };
}

/** Microseconds since 2000-01-01T00:00:00Z, from `postgresMicros`. */
export function timestamptzField(values: Values<bigint>): CopyField {
  return (buffer, row) => {
    const value = values[row];
    if (value === null || value === undefined) return nullField(buffer);
    buffer.int32(8);
    buffer.int64(value);
  };
}

/** DataView would silently truncate a larger number to its low bits. */
export function requireInteger(value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${value} is not an integer from ${min} to ${max}`);
  }
}
