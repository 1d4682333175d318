import { describe, expect, test } from "vitest";
import { z } from "zod";
import { addressesOf, type Operation, scopeOf } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { openApiDocument } from "#services/gateway/openapi.ts";

const serverUrl = "http://catalogues.example.org";

const Schema = z.record(z.string(), z.unknown());
const Media = z.strictObject({ schema: Schema, example: Schema.optional() });
/** By media type: JSON, a form with a file, or what an operation streams. */
const Content = z.record(z.string().regex(/^[a-z]+\/[a-z.+-]+(?:; ?[\w-]+=[\w.-]+)*$/), Media);
/** The part of OpenAPI 3.1.0 that the document uses (sections 4.8.2 to 4.8.17). */
const Described = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().min(1),
  tags: z.array(z.string()).length(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(
    z.strictObject({
      name: z.string(),
      in: z.enum(["path", "query", "header"]),
      required: z.boolean(),
      description: z.string().optional(),
      style: z.literal("form").optional(),
      explode: z.boolean().optional(),
      schema: Schema,
    }),
  ),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^(?:101|[2-5]\d\d)$/),
    z.strictObject({ description: z.string().min(1), content: Content.optional() }),
  ),
});
const Document = z.strictObject({
  openapi: z.literal("3.1.0"),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  servers: z.array(z.strictObject({ url: z.literal(serverUrl) })),
  paths: z.record(
    z.string().startsWith("/"),
    z.partialRecord(z.enum(["get", "post", "put", "patch", "delete"]), Described),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[\w.-]+$/), Schema),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
  }),
});

const document = Document.parse(
  openApiDocument(operations, { version: "1.0.0", serverUrl, cookieName: "session" }),
);
const table = Object.values(operations) as Operation[];

function described({ path, method }: Operation): z.infer<typeof Described> {
  const item = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")];
  const found = item?.[method.toLowerCase() as keyof typeof item];
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
}

function* references(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === "$ref" && typeof member === "string") yield member;
    else yield* references(member);
  }
}

describe("the OpenAPI document", () => {
  test("the OpenAPI document has every address of every operation once and no others", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation.operationId),
    );
    const declared = Object.values(operations).flatMap((operation: Operation) =>
      addressesOf(operation).map(({ suffix }) => operation.id + suffix),
    );
    expect(ids.sort()).toEqual(declared.sort());
  });

  test("the OpenAPI document refers to nothing that it does not hold", () => {
    const known = Object.keys(document.components.schemas);
    const unknown = [...references(document)].filter(
      (reference) => !known.includes(reference.replace("#/components/schemas/", "")),
    );
    expect(unknown).toEqual([]);
  });

  test("the OpenAPI document says that a submitted event has a magnitude, which may be null", () => {
    const { SubmittedEvent, Event } = document.components.schemas;
    expect(SubmittedEvent?.["required"]).toContain("magnitude");
    for (const schema of [SubmittedEvent, Event]) {
      expect(schema?.["properties"]).toMatchObject({
        magnitude: { anyOf: [{ type: "number", minimum: -3, maximum: 10 }, { type: "null" }] },
      });
    }
  });

  test("the OpenAPI document says of every operation its parameters, body, example and answers", () => {
    for (const operation of table) {
      const { id, path, body, access, rate, errors = [], method, status, example } = operation;
      const { parameters, requestBody, responses, security } = described(operation);
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, required: true }));
      expect(
        inPath.map(({ name, required }) => ({ name, required })),
        id,
      ).toEqual(names);
      for (const { name, schema } of parameters) {
        const kinds = ["type", "enum", "const", "anyOf", "oneOf", "$ref"];
        const says = kinds.some((key) => key in schema);
        expect(says, `${name} of ${id} may be anything`).toBe(true);
      }
      const examples = Object.values(requestBody?.content ?? {}).map((one) => one.example);
      // Exactly when it takes a body.
      expect(examples, id).toEqual(body === undefined ? [] : [example]);
      for (const schema of [operation.documentedBody, body]) {
        if (typeof schema !== "object") continue;
        expect(schema.parse(example), id).toMatchObject(example ?? {});
      }
      const statuses = Object.keys(responses);
      const takesBody = method !== "GET";
      const has = (status: number) => statuses.includes(String(status));
      const told = [400, 401, 404, 408, 413, 415, 429].map((code) => [code, has(code)]);
      const answers: Readonly<Record<number, boolean>> = Object.fromEntries(told);
      expect({ id, success: has(status), ...answers, asks: security.length > 0 }).toEqual({
        id,
        success: true,
        400: rate !== "none",
        // Also of an access token that is not good.
        401: !(access === "public" && rate === "none"),
        404: inPath.length > 0 || access === "readers" || errors.includes("NOT_FOUND"),
        408: takesBody,
        413: takesBody || errors.includes("TOO_MANY_EVENTS"),
        415: takesBody && body !== "file",
        429: rate !== "none",
        asks: access !== "public",
      });
    }
  });

  test("the OpenAPI document has an example beside each field of a form", () => {
    const form = described(operations.upload).requestBody?.content["multipart/form-data"];
    const fields = Object.entries(operations.upload.example).map(([name, example]) => [
      name,
      expect.objectContaining({ examples: [example] }),
    ]);
    expect(form?.schema["properties"]).toEqual(Object.fromEntries(fields));
  });

  test("the OpenAPI document asks for a body where none is not taken for an empty object", () => {
    const required = (path: string) => document.paths[path]?.post?.requestBody?.required;
    expect(required("/api/catalogues/{id}/shares")).toBe(false);
    expect(required("/api/catalogues")).toBe(true);
    expect(required("/api/upload")).toBe(true);
  });

  test("the OpenAPI document has Idempotency-Key exactly on the writes of signed-in users", () => {
    for (const operation of table) {
      const names = described(operation).parameters.map(({ name }) => name);
      const { method, access } = operation;
      const isWrite =
        method !== "GET" && access !== "public" && scopeOf(operation, access) !== "read";
      expect(names.includes("Idempotency-Key"), operation.id).toBe(isWrite);
    }
  });

  test("the OpenAPI document documents the 503 of readiness with its report", () => {
    const { content } = described(operations.getReadiness).responses["503"] ?? {};
    expect(content).toEqual({
      "application/json": { schema: { $ref: "#/components/schemas/ReadinessReport" } },
    });
  });
});
