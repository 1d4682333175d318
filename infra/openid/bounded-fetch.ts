import type { CustomFetch } from "openid-client";
import { InvalidJson } from "../json/invalid-json.ts";
import { DEFAULT_LIMITS } from "../json/parse-json.ts";
import { checkDepth } from "../json/scan.ts";

/** Far more than providers say; keys and groups are the longest of it. */
const MAX_BYTES = 1024 * 1024;

/**
 * `fetch` for a provider's answers, whose whole body is read here: within the time of the request's signal, and no
 * further than it may be long, however it is compressed, or deep.
 * @throws TypeError, as `fetch` where there is no answer
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  // Node takes every body that openid-client sends.
  const response = await fetch(url, options as RequestInit);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > MAX_BYTES) throw unusable(new Error(`it is longer than ${MAX_BYTES} bytes`));
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  try {
    checkDepth(bytes, 0, DEFAULT_LIMITS.maxDepth);
  } catch (error) {
    throw error instanceof InvalidJson ? unusable(error) : error;
  }
  return new Response(length === 0 ? null : bytes, response);
};

function unusable(cause: Error): TypeError {
  return new TypeError("the provider's answer cannot be used", { cause });
}
