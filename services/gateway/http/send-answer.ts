import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Operation } from "#contracts/http/operation.ts";
import type { AnswerPlace } from "../capacity/answer-place.ts";
import { type AnswerPieces, answerStream, writeBody } from "./answer-body.ts";
import type { AnyAnswer } from "./handler.ts";
import { addVary } from "./headers/caching.ts";
import { matchesWeakly, parseEntityTags } from "./headers/etag.ts";

/** Larger JSON is streamed at the client's pace. */
const WHOLE_BYTES = 256 * 1024;

const NO_CONTENT = 204;

/** For HEAD: Fastify says that nothing has a length of 0, while a stream has none that is known. */
const NOTHING_OF_IT = () => Readable.from([]);

/** Sends a handler's answer; only the head for HEAD, and when the client has the answer already. */
export async function sendAnswer(
  { success }: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: AnyAnswer,
  place: AnswerPlace,
): Promise<FastifyReply> {
  const { status = success.status, isPublic = false, isVersioned = false } = answer;
  const { vary, ...headers } = answer.headers ?? {};
  reply.headers(headers);
  if (answer.cookies) reply.header("set-cookie", answer.cookies);
  if (vary !== undefined) addVary(reply, [vary]);
  reply.isPublic = isPublic;
  reply.isVersioned = isVersioned;
  const tag = headers["etag"];
  const known = parseEntityTags(request.headers["if-none-match"]);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (tag !== undefined && known !== null && isRead && matchesWeakly(known, tag)) {
    return reply.code(304).send();
  }
  reply.code(status);
  if (status === NO_CONTENT) return reply.send();
  if ("text" in answer) {
    return reply.type(answer.contentType).send(Buffer.from(answer.text));
  }
  if ("open" in answer) {
    reply.type(answer.contentType);
    if (answer.isEndless) place.holds(0);
    if (request.method === "HEAD") return reply.send(NOTHING_OF_IT());
    return reply.send(await answerStream(answer.open(), request.scope));
  }
  reply.type("application/json; charset=utf-8");
  const pieces = writeBody(answer.body);
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  place.holds(bytes);
  if (bytes <= WHOLE_BYTES) return reply.send(Buffer.concat(pieces, bytes));
  reply.header("content-length", bytes);
  if (request.method === "HEAD") return reply.send(NOTHING_OF_IT());
  return reply.send(await answerStream(passOn(pieces, bytes, place), request.scope));
}

/** Pieces are dropped when passed on, which makes room for other answers. */
async function* passOn(pieces: Buffer[], bytes: number, place: AnswerPlace): AnswerPieces {
  let left = bytes;
  for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
    for (let at = 0; at < piece.length; at += WHOLE_BYTES) {
      yield piece.subarray(at, at + WHOLE_BYTES);
    }
    left -= piece.length;
    place.holds(left);
  }
}

/**
 * An answer with members that its schema lacks would leak or mislead, so it must equal its parsed
 * form.
 */
export function checkAnswer(
  { id, success, accepted, failure }: Operation,
  answer: AnyAnswer,
): void {
  if ("contentType" in answer) return;
  const { schema } =
    [accepted, failure].find((other) => other && other.status === answer.status) ?? success;
  const asSent: unknown = JSON.parse(Buffer.concat(writeBody(answer.body)).toString());
  if (!isDeepStrictEqual(schema.parse(asSent), asSent)) {
    throw new Error(`the answer of ${id} is not as its schema says: ${JSON.stringify(asSent)}`);
  }
}
