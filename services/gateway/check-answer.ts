import { isDeepStrictEqual } from "node:util";
import type { Operation } from "#contracts/http/operation.ts";
import type { AnyAnswer } from "./handler.ts";
import { writeBody } from "./json-text.ts";

/** An answer with a key that its schema does not know would leak or mislead: it must be equal as parsed. */
export function checkAnswer({ id, success, accepted }: Operation, answer: AnyAnswer): void {
  if ("open" in answer) return;
  const { schema } = answer.status === accepted?.status && accepted ? accepted : success;
  const asSent: unknown = JSON.parse(Buffer.concat(writeBody(answer.body)).toString());
  if (!isDeepStrictEqual(schema.parse(asSent), asSent)) {
    throw new Error(`the answer of ${id} is not as its schema says: ${JSON.stringify(asSent)}`);
  }
}
