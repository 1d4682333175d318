import type { CallError, FieldProblem } from "../../api/call-error.ts";

type Refusal = { readonly details?: readonly { readonly errors?: readonly FieldProblem[] }[] };

/** What is wrong with the attributes of an event that was submitted alone, and refused. */
export function problemsOf({ body, fields }: CallError): Readonly<Record<string, string>> {
  const details = (body as Refusal | null)?.details;
  const ofEvent = Array.isArray(details) ? (details[0]?.errors ?? []) : [];
  return Object.fromEntries([...fields, ...ofEvent].map(({ field, message }) => [field, message]));
}
