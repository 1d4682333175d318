import { createHash } from "node:crypto";
import type { z } from "zod";
import { Refusal } from "#contracts/errors.ts";

const CHECK_BYTES = 6;

/** A cursor for clients: base64url of a checksum and the cursor's JSON. */
export function toCursorText(cursor: object): string {
  const json = Buffer.from(JSON.stringify(cursor));
  return Buffer.concat([checksum(json), json]).toString("base64url");
}

/**
 * Decodes a client's cursor. The checksum detects truncated and modified texts; a cursor holds no
 * secrets and grants no access, so it needs no signature.
 * @throws Refusal INVALID_CURSOR
 */
export function fromCursorText<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  const bytes = Buffer.from(text, "base64url");
  const json = bytes.subarray(CHECK_BYTES);
  const isWhole = bytes.toString("base64url") === text;
  if (!isWhole || !checksum(json).equals(bytes.subarray(0, CHECK_BYTES))) throw invalidCursor();
  try {
    return schema.parse(JSON.parse(json.toString("utf8")));
  } catch {
    throw invalidCursor();
  }
}

export function invalidCursor(reason = "The cursor is not valid for this request"): Refusal {
  return new Refusal("INVALID_CURSOR", reason);
}

function checksum(json: Buffer): Buffer {
  return createHash("sha256").update(json).digest().subarray(0, CHECK_BYTES);
}
