type Accepted = { readonly operationId: string };

/** The answer of an analysis that was not asked for as an operation. */
export function atOnce<A extends { readonly body: object }>(answer: A) {
  return answer as unknown as Omit<A, "body"> & { readonly body: Exclude<A["body"], Accepted> };
}
