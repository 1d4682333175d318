import type { Random } from "../support/random.ts";
import { mutateBytes } from "./spoil.ts";

const JSON_BODY = '{"email":"a@b.example","password":"a long password"}';
const HOST = "host: 127.0.0.1\r\n";
const POST = `POST /api/auth/login HTTP/1.1\r\n${HOST}content-type: application/json\r\n`;
const GET = `GET /api/catalogues HTTP/1.1\r\n${HOST}`;

/** Requests as no client library sends them. */
const REQUESTS: readonly ((random: Random) => string)[] = [
  () => `${GET}\r\n`.repeat(30),
  () => `${GET}\r\n${POST}content-length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}${GET}\r\n`,
  () => "GET /api/catalogues HTTP/1.1\r\n\r\n",
  () => `GET /api/catalogues HTTP/1.1\r\n${HOST}${HOST}\r\n`,
  () => "GET /api/catalogues HTTP/1.1\r\nhost: a b\0c\r\n\r\n",
  () => "GET /api/catalogues HTTP/1.0\r\n\r\n",
  () => `GET /api/catalogues HTTP/9.9\r\n${HOST}\r\n`,
  () => "GET /api/catalogues\r\n\r\n",
  () => `get /api/catalogues HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET http://[::1]:99999/api/catalogues HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET http://other.example/api/catalogues?page=1 HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET //api//catalogues HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /api/catalogues?search=\xff\xfe\x01 HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /api/catalogues?search=a b HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /api/catalogues/%zz/events HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /${"a/".repeat(4_000)} HTTP/1.1\r\n${HOST}\r\n`,
  () => `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  () => "CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: 127.0.0.1:22\r\n\r\n",
  () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  () => `${GET}upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\n\r\n`,
  () => `${GET}upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAA\r\n\r\n`,
  () => `${GET}x-long: ${"x".repeat(20_000)}\r\n\r\n`,
  () => `${GET}${"x: y\r\n".repeat(3_000)}\r\n`,
  () => `${GET}x-folded: a\r\n b\r\n\r\n`,
  () => `${GET}x\x01y: a\r\n\r\n`,
  () => `${GET}x-bare: a\nb: c\n\n`,
  () => `${GET}: nothing\r\n\r\n`,
  () => `${GET}content-length: 5\r\n\r\nabcdeGET /api/health HTTP/1.1\r\n${HOST}\r\n`,
  () => `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  () => `${POST}content-length: 5\r\ncontent-length: 6\r\n\r\n{"a":1}`,
  () => `${POST}content-length: -5\r\n\r\n`,
  () => `${POST}content-length: 99999999999999999999\r\n\r\n`,
  () => `${POST}content-length: 5x\r\n\r\n{}   `,
  () => `${POST}content-length: 100\r\n\r\n{"email"`,
  () => `${POST}transfer-encoding: chunked, gzip\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n2;a=${"b".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(5_000)}0\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-trailer: a\r\n\r\n`,
  () => `${POST}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`,
  () => `${POST}expect: a miracle\r\ncontent-length: 2\r\n\r\n{}`,
  () => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
  () => "\r\n\r\n\r\n\r\n",
  (random) => Buffer.from(Array.from({ length: 500 }, () => random.below(256))).toString("latin1"),
];

/** Bytes for a connection; some of them spoiled once more. */
export function rawRequest(random: Random): Buffer {
  const bytes = Buffer.from(random.pick(REQUESTS)(random), "latin1");
  return random.chance(0.3) ? mutateBytes(bytes, random, [bytes]).subarray(0, 200_000) : bytes;
}
