import { parse } from "secure-json-parse";
import { InvalidJson } from "./invalid-json.ts";
import { checkDepth, startOfText } from "./scan.ts";

export type JsonLimits = { readonly maxDepth: number };

export const DEFAULT_LIMITS: JsonLimits = { maxDepth: 64 };

/** What V8 says of the place, in UTF-16 units of the parsed text. */
const POSITION = /at position (\d+)/;

/**
 * The value of a whole JSON body in UTF-8; a byte order mark is ignored. Members that would set a
 * prototype (`__proto__`, `constructor.prototype`) are refused.
 * @throws InvalidJson
 */
export function parseJson(bytes: Buffer, { maxDepth }: JsonLimits = DEFAULT_LIMITS): unknown {
  const start = startOfText(bytes);
  checkDepth(bytes, start, maxDepth);
  const text = bytes.toString("utf8", start);
  try {
    return parse(text, { protoAction: "error", constructorAction: "error" });
  } catch (cause) {
    throw invalidJson(cause, text, start);
  }
}

/** The fault of a piece of a body that begins at byte `start`; the parser's own text may quote the body. */
export function invalidJson(cause: unknown, text: string, start: number): InvalidJson {
  const found = cause instanceof Error ? POSITION.exec(cause.message)?.[1] : undefined;
  const position = start + Buffer.byteLength(text.slice(0, Number(found ?? 0)));
  const forbidden = cause instanceof Error && cause.message.includes("forbidden prototype");
  const reason = forbidden ? "the body holds a forbidden member" : "the body is not valid JSON";
  return new InvalidJson(reason, position, { cause });
}
