/** The answer to a client that does not wait for the operation (RFC 7240 §4.1, contract §5). */
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
