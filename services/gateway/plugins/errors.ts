import type { FastifyInstance } from "fastify";
import { ApiError } from "#contracts/errors.ts";
import { errorAnswer } from "../error-answer.ts";

/** Answers every error as contract §2 says, and logs those that are the service's own. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const { status, body } = errorAnswer(error);
    if (status >= 500) request.log.error({ err: error }, "request failed");
    if (status === 503) reply.header("retry-after", "1");
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler(async () => {
    throw new ApiError("NOT_FOUND", "There is no such endpoint");
  });
}
