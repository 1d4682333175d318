import {
  type AnswerOf,
  type CallOptions,
  call,
  callWithTag,
  type InputOf,
  type Tagged,
} from "./call.ts";

/** The lists that the service gives in parts. */
type LongList =
  | "GET /api/users"
  | "GET /api/role-requests"
  | "GET /api/regions"
  | "GET /api/catalogues/:id/versions"
  | "GET /api/catalogues/:id/analytics/decluster/:result/events";
type Part = { readonly nextCursor?: string | null | undefined };

/**
 * Calls the operation of a long list until it has all of it; the entity tag is that of its first part.
 * @throws CallError
 */
export async function callForAll<K extends LongList>(
  operation: K,
  input: InputOf<K>,
  options: CallOptions = {},
): Promise<Tagged<AnswerOf<K>>> {
  const { answer, tag } = await callWithTag(operation, input, options);
  const all = listOf(answer);
  for (let { nextCursor: cursor } = answer as Part; cursor != null; ) {
    const query = { ...input.query, cursor };
    const next = await call(operation, { ...input, query } as InputOf<K>, options);
    for (const member of listOf(next)) all.push(member);
    ({ nextCursor: cursor } = next as Part);
  }
  return { answer, tag };
}

function listOf(answer: object): unknown[] {
  return Object.values(answer).find((member) => Array.isArray(member)) ?? [];
}
