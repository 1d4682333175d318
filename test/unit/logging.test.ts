import fc from "fast-check";
import { expect, test } from "vitest";
import { createLogger, subsystemLogger } from "#infra/process/logger.ts";
import { testRows } from "../support/test-rows.ts";

function capture(write: (log: ReturnType<typeof createLogger>) => void, pretty = false): string {
  const chunks: string[] = [];
  const destination = { write: (chunk: string) => void chunks.push(chunk) };
  write(createLogger({ level: "trace", pretty, destination }));
  return chunks.join("");
}

test("the logger writes one JSON line with level, time, subsystem, message and fields", () => {
  const text = capture((log) => subsystemLogger(log, "gateway").info({ port: 3000 }, "listening"));
  expect(JSON.parse(text)).toMatchObject({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    subsystem: "gateway",
    msg: "listening",
    port: 3000,
  });
  expect(text.match(/\n/g)).toHaveLength(1);
});

test("the logger leaves out lines below its level", () => {
  const lines: string[] = [];
  const log = createLogger({
    level: "warn",
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  log.info("small talk");
  expect(lines).toEqual([]);
});

testRows(
  "the logger replaces secrets",
  [
    { password: "hunter22" },
    { newPassword: "hunter22" },
    { currentPassword: "hunter22" },
    { ADMIN_PASSWORD: "hunter22" },
    { password_hash: "hunter22" },
    { token: "hunter22" },
    { resetToken: "hunter22" },
    { JWT_SECRET: "hunter22" },
    { headers: { Authorization: "Bearer hunter22" } },
    { request: { headers: { cookie: "session=hunter22" } } },
    { response: { headers: { "set-cookie": ["session=hunter22"] } } },
    { jobs: [{ body: { user: { password: "hunter22" } } }] },
    { url: "/reset-password?token=hunter22&lang=en" },
    { link: new URL("https://example.org/reset-password?a=1&token=hunter22") },
    { database: "postgresql://earthquakes:hunter22@db.example.org/earthquakes" },
    { req: { method: "GET", url: "/x?access_token=hunter22", headers: { cookie: "hunter22" } } },
    { err: Object.assign(new Error("refused"), { headers: { authorization: "hunter22" } }) },
    { err: new Error("outer", { cause: new Error("GET https://a.example/?token=hunter22") }) },
  ],
  (fields) => {
    expect(capture((log) => log.error(fields, "failed"))).not.toContain("hunter22");
    expect(capture((log) => log.error(fields, "failed"), true)).not.toContain("hunter22");
  },
);

test("the logger leaves out the rows and values that a database error quotes", () => {
  const cause = Object.assign(new Error("violates a constraint"), {
    code: "23514",
    detail: "Failing row contains (user_1, hunter22).",
    where: "unnamed portal parameter $1 = 'hunter22'",
  });
  const query = { sql: "insert …", values: ["hunter22"] };
  const err = Object.assign(new Error("refused", { cause }), { query, row: { a: "hunter22" } });
  const text = capture((log) => {
    log.error({ err }, "failed");
    log.error({ err: new AggregateError([err]) }, "failed");
  });
  expect(text).not.toContain("hunter22");
  expect(text).toContain("23514");
});

test("the logger keeps other fields as they are", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("count", "name", "ids"), fc.json()), (fields) => {
      const value = Object.fromEntries(
        Object.entries(fields).map(([name, json]) => [`${name}_field`, json.length]),
      );
      expect(JSON.parse(capture((log) => log.info(value, "done")))).toMatchObject(value);
    }),
  );
});

test("the logger ends a circle of references instead of failing", () => {
  const circle: Record<string, unknown> = { name: "a" };
  circle["self"] = circle;
  expect(capture((log) => log.info(circle, "odd"))).toContain("[too deep]");
});

test("the logger keeps an error's message, stack and fields", () => {
  const error = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const line = JSON.parse(capture((log) => log.error({ err: error }, "failed")));
  expect(line.err).toMatchObject({ message: "refused", code: "ECONNREFUSED" });
  expect(line.err.stack).toContain("refused");
});

test("the logger writes for a person on a terminal", () => {
  const text = capture((log) => log.info({ port: 3000 }, "listening"), true);
  expect(text).toContain("listening");
  expect(() => JSON.parse(text)).toThrow();
});
