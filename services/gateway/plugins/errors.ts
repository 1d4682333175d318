import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "#contracts/errors.ts";
import { errorAnswer } from "../error-answer.ts";
import { API_VERSION } from "./request-headers.ts";

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

/** A path that cannot be routed reaches no hook: its answer gets its shape and its headers here. */
export function answerUnroutable(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { status, body } = errorAnswer(error);
  reply
    .code(status)
    .headers({ "x-request-id": request.id, "x-api-version": API_VERSION })
    .send(body);
}
