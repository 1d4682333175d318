import { z } from "zod";

/** Who may call an operation, as the document tells it. */
export type Access =
  | "public"
  | "readers"
  | "share"
  | "operators"
  | "signed-in"
  | "viewer"
  | "editor"
  | "admin";

export type Schema = z.infer<typeof Schema>;
const Schema = z.record(z.string(), z.unknown());

const Parameter = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header"]),
  required: z.boolean(),
  schema: Schema,
});
const Content = z.record(z.string(), z.object({ schema: Schema }));
/** Without content there is no body: 204. */
const Answered = z.object({ content: Content.default({}) });
const Described = z.object({
  operationId: z.string(),
  description: z.string(),
  parameters: z.array(Parameter),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), Answered),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Described)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});

export type ApiOperation = {
  readonly id: string;
  readonly method: string;
  /** With its parameters as `{name}`. */
  readonly path: string;
  readonly access: Access;
  readonly parameters: readonly z.infer<typeof Parameter>[];
  readonly body: { readonly contentType: string; readonly schema: Schema } | null;
  /** The media types that are declared for each status. */
  readonly answers: ReadonlyMap<number, readonly string[]>;
};

export type ApiDocument = {
  readonly operations: readonly ApiOperation[];
  /** A schema, or that which it refers to. */
  readonly resolve: (schema: Schema) => Schema;
};

/** What the running service says of itself. */
export async function readDocument(url: string): Promise<ApiDocument> {
  const answer = await fetch(new URL("/api/openapi.json", url));
  const { paths, components } = Document.parse(await answer.json());
  return {
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => operationOf(method, path, described)),
    ),
    resolve(schema) {
      const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema["$ref"] ?? ""))?.[1];
      return name === undefined ? schema : (components.schemas[name] ?? {});
    },
  };
}

const Accesses = z.enum([
  "public",
  "readers",
  "share",
  "operators",
  "signed-in",
  "viewer",
  "editor",
  "admin",
]);

function operationOf(
  method: string,
  path: string,
  { operationId, description, parameters, requestBody, responses }: z.infer<typeof Described>,
): ApiOperation {
  const [body] = Object.entries(requestBody?.content ?? {});
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    access: Accesses.parse(/^Access: ([\w-]+)/.exec(description)?.[1]),
    parameters,
    body: body ? { contentType: body[0], schema: body[1].schema } : null,
    answers: new Map(
      Object.entries(responses).map(([status, { content }]) => [
        Number(status),
        Object.keys(content),
      ]),
    ),
  };
}
