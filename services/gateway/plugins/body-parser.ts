import type { FastifyInstance } from "fastify";

/**
 * JSON bodies arrive as bytes: each operation reads them as its table entry says, large ones off
 * the main thread. Every other content type is 415.
 */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/,
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => body,
  );
}
