import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { useService } from "../../support/service.ts";
import { rawGet } from "../support/raw-request.ts";

const service = useService();

/** What the service sends back for these lines, until it closes the connection. */
async function answerTo(...lines: readonly string[]): Promise<{ head: string; body: unknown }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.end([...lines, "Connection: close", "", ""].join("\r\n"));
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  return { head, body: JSON.parse(body) };
}

test.each([
  ["without Host", []],
  ["with two", ["Host: one.example.org", "hOsT: other.example.org"]],
])("the service answers HTTP/1.1 %s with 400 in the general shape", async (_case, hosts) => {
  const { head, body } = await answerTo("GET /api/health HTTP/1.1", ...hosts);
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(head).toMatch(/^x-request-id: /m);
  expect(body).toEqual({
    error: "The request must have one Host header",
    code: "VALIDATION_ERROR",
  });
});

test("the service answers HTTP/1.0, which needs no Host", async () => {
  const { head } = await answerTo("GET /api/health HTTP/1.0");
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
});

test("the service answers headers beyond what is read with 431 in the general shape", async () => {
  const answer = await rawGet(service.url, "/api/catalogues", { "x-long": "x".repeat(100_000) });
  expect(answer.status).toBe(431);
  expect(JSON.parse(answer.text)).toMatchObject({ code: "VALIDATION_ERROR" });
});
