/** Whether a `Prefer` header (RFC 7240) asks for an answer before the work is done. */
export function prefersAsync(header: string | readonly string[] | undefined): boolean {
  const text = typeof header === "string" ? header : (header ?? []).join(",");
  return text.split(",").some((part) => /^\s*respond-async\s*(?:;|$)/i.test(part));
}
