/** Whether a `Prefer` header (RFC 7240) asks for an answer before the work is done. */
export function prefersAsync(header: string | readonly string[] | undefined): boolean {
  const text = typeof header === "string" ? header : (header ?? []).join(",");
  return text.split(",").some((part) => /^\s*respond-async\s*(?:;|$)/i.test(part));
}

/** The answer to a client that does not wait for the job (RFC 7240, 4.1). */
export function acceptedAnswer(operationId: string) {
  return {
    status: 202,
    body: { operationId },
    headers: {
      location: `/api/operations/${operationId}`,
      "preference-applied": "respond-async",
    },
  } as const;
}
