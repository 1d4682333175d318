import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import type { z } from "zod";
import { Refusal } from "#contracts/errors.ts";

const CHECK_BYTES = 6;

/** A longer JSON, as of a polygon among filters, is compressed, since a cursor is a part of addresses. */
const MAX_PLAIN_BYTES = 1_000;
/** As long as a cursor may become when it is read: many times a polygon of all its vertices. */
const MAX_BYTES = 256 * 1024;
/** No JSON begins with it (RFC 1950, 2.2). */
const ZLIB = 0x78;

/** A cursor for clients: base64url of a checksum and the cursor's JSON, which may be compressed by zlib. */
export function toCursorText(cursor: object): string {
  const json = Buffer.from(JSON.stringify(cursor));
  const bytes = json.length <= MAX_PLAIN_BYTES ? json : deflateSync(json);
  return Buffer.concat([checksum(bytes), bytes]).toString("base64url");
}

/**
 * Decodes a client's cursor. The checksum detects truncated and modified texts; a cursor holds no
 * secrets and grants no access, so it needs no signature.
 * @throws Refusal INVALID_CURSOR
 */
export function fromCursorText<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  const bytes = Buffer.from(text, "base64url");
  const packed = bytes.subarray(CHECK_BYTES);
  const isWhole = bytes.toString("base64url") === text;
  if (!isWhole || !checksum(packed).equals(bytes.subarray(0, CHECK_BYTES))) throw invalidCursor();
  try {
    const isPlain = packed[0] !== ZLIB;
    const json = isPlain ? packed : inflateSync(packed, { maxOutputLength: MAX_BYTES });
    return schema.parse(JSON.parse(json.toString("utf8")));
  } catch {
    throw invalidCursor();
  }
}

export function invalidCursor(reason = "The cursor is not valid for this request"): Refusal {
  return new Refusal("INVALID_CURSOR", reason);
}

function checksum(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest().subarray(0, CHECK_BYTES);
}
