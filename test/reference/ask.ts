import type { ApiClient } from "../support/api-client.ts";
import type { CatalogueName, ReferenceCatalogue } from "./reference-catalogues.ts";
import type { Question } from "./reference-row.ts";

type Operation = {
  readonly operation: {
    readonly status: string;
    readonly result?: unknown;
    readonly error?: unknown;
  };
};

/** The answer to a question, also where it comes as an operation; `error` says why there is none. */
export async function ask(
  client: ApiClient,
  catalogue: (name: CatalogueName) => Promise<ReferenceCatalogue>,
  question: Question,
): Promise<{ readonly answer: unknown } | { readonly error: string }> {
  const { status, body } = await send(client, catalogue, question);
  if (status === 202) return ended(client, (body as { operationId: string }).operationId);
  if (status >= 400) return { error: `${status} ${JSON.stringify(body)}` };
  return { answer: body };
}

async function send(
  client: ApiClient,
  catalogue: (name: CatalogueName) => Promise<ReferenceCatalogue>,
  question: Question,
) {
  if ("compare" in question) {
    const { compare, ...parameters } = question;
    const [a, b] = [await catalogue(compare[0]), await catalogue(compare[1])];
    return client.send("POST", "/api/compare", { a: a.id, b: b.id, ...parameters });
  }
  const { id, filters } = await catalogue(question.catalogue);
  const query = { ...filters, ...question.query };
  const texts = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const path = `/api/catalogues/${id}/analytics/${question.path}?${new URLSearchParams(texts)}`;
  return question.body ? client.send("POST", path, question.body) : client.get(path);
}

/** Follows an operation to its end: its stream ends with it. */
async function ended(client: ApiClient, id: string) {
  await (await client.stream(`/api/operations/${id}/stream`)).text();
  const { body } = await client.get<Operation>(`/api/operations/${id}`);
  const { status, result, error } = body.operation;
  return status === "succeeded" ? { answer: result } : { error: JSON.stringify(error ?? status) };
}
