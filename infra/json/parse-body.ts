import { Refusal } from "#contracts/errors.ts";
import { InvalidJson } from "./invalid-json.ts";
import { parseJson } from "./parse-json.ts";

/** A body, parsed in a thread: there a refusal keeps its class. @throws Refusal INVALID_JSON */
export function parseBody({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(buffer, byteOffset, byteLength));
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    throw new Refusal("INVALID_JSON", error.message);
  }
}
