import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";

/** The OpenAPI document, browsable at /api/docs. */
export async function registerDocumentation(
  app: FastifyInstance,
  document: Record<string, unknown>,
  secure: boolean,
): Promise<void> {
  // The document is made from the operation table; the plugin's type requires its own library's.
  await app.register(swagger, { mode: "static", specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: "/api/docs",
    staticCSP: true,
    // Without https the page would request its own scripts where no server answers.
    transformStaticCSP: (policy) =>
      secure ? policy : without(policy, "upgrade-insecure-requests"),
  });
}

function without(policy: string, unwanted: string): string {
  return policy
    .split(";")
    .filter((directive) => directive.trim() !== unwanted)
    .join(";");
}
