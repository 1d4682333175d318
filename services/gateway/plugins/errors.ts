import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "#contracts/errors.ts";
import { errorAnswer } from "../error-answer.ts";
import { InProgress } from "../idempotency/in-progress.ts";
import { API_VERSION } from "./request-headers.ts";

/** Answers every error as contract §2 says, and logs those that are the service's own. */
export function registerErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const { status, body } = errorAnswer(error);
    if (status >= 500) request.log.error({ err: error }, "request failed");
    if (status === 503 || error instanceof InProgress) reply.header("retry-after", "1");
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

const HEADERS_TOO_LARGE = { code: "HPE_HEADER_OVERFLOW", status: 431 };
const BAD_REQUEST = 400;

/** What Node cannot read as HTTP has no request to answer: the answer is written to the socket. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === HEADERS_TOO_LARGE.code;
  const status = tooLarge ? HEADERS_TOO_LARGE.status : BAD_REQUEST;
  const sentence = tooLarge ? "The headers are too large" : "The request is not valid HTTP";
  const body = JSON.stringify({ error: sentence, code: "VALIDATION_ERROR" });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `x-api-version: ${API_VERSION}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
