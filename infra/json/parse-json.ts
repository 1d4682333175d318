import { parse } from "secure-json-parse";
import { InvalidJson } from "./invalid-json.ts";
import { checkDepth, startOfText } from "./scan.ts";

export type JsonLimits = { readonly maxDepth: number };

export const DEFAULT_LIMITS: JsonLimits = { maxDepth: 64 };

/** The position in V8's messages, in UTF-16 units of the parsed text. */
const POSITION = /at position (\d+)/;

/**
 * Parses a whole JSON body in UTF-8; a byte order mark is ignored. Members that would set a
 * prototype (`__proto__`, `constructor.prototype`) are refused.
 * @throws InvalidJson
 */
export function parseJson(bytes: Buffer, { maxDepth }: JsonLimits = DEFAULT_LIMITS): unknown {
  const start = startOfText(bytes);
  checkDepth(bytes, start, maxDepth);
  return parseText(bytes.toString("utf8", start), start);
}

/**
 * Parses the text of a body that begins at byte `start`.
 * @throws InvalidJson
 */
export function parseText(text: string, start: number): unknown {
  try {
    return parse(text, { protoAction: "error", constructorAction: "error" });
  } catch (cause) {
    throw invalidJson(cause, text, start);
  }
}

/** A parse error of a piece of a body, without the parser's own message, which may quote the body. */
function invalidJson(cause: unknown, text: string, start: number): InvalidJson {
  const message = cause instanceof Error ? cause.message : "";
  const units = Number(POSITION.exec(message)?.[1] ?? 0);
  const position = start + Buffer.byteLength(text.slice(0, units));
  const forbidden = message.includes("forbidden prototype");
  const reason = forbidden ? "the body holds a forbidden member" : "the body is not valid JSON";
  return new InvalidJson(reason, position, { cause });
}
