import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

/** The OpenAPI document, browsable at /api/docs. */
export async function registerDocumentation(
  app: FastifyInstance,
  document: Record<string, unknown>,
): Promise<void> {
  // The document is made from the operation table; the plugin's type wants its own library's type.
  await app.register(swagger, { mode: "static", specification: { document: document as never } });
  await app.register(swaggerUi, { routePrefix: "/api/docs", staticCSP: true });
}
