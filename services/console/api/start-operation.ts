import type { z } from "zod";
import type { Accepted } from "#contracts/http/jobs.ts";
import type { InputOf, OperationName } from "../model/operation-types.ts";
import { send, whole } from "./call.ts";

/**
 * Starts what can outlast its request.
 * @returns the operation's id
 * @throws CallError
 */
export async function startOperation<K extends OperationName>(
  operation: K,
  input: InputOf<K>,
  idempotencyKey: string,
): Promise<string> {
  const response = await send(operation, input as Parameters<typeof send>[1], {
    inBackground: true,
    idempotencyKey,
  });
  const { operationId }: z.output<typeof Accepted> = await whole(() => response.json());
  return operationId;
}
