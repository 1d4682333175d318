import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createLogger } from "#infra/logging/logger.ts";
import { basic, newAccessToken } from "../../support/api/access-tokens.ts";
import { newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const lines: string[] = [];
const destination = { write: (line: string) => void lines.push(line) };
const logger = createLogger({ level: "trace", pretty: false, destination });
const service = useService({}, { logger });

type Line = Record<string, unknown>;

/** The access line of the request with this id: written when its connection has taken the answer. */
async function lineOf(requestId: string): Promise<Line> {
  return vi.waitFor(() => {
    const found = lines
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line["requestId"] === requestId && line["msg"] === "request answered");
    expect(found).toHaveLength(1);
    return found[0] as Line;
  });
}

test("each request has one line that tells who asked for what, and how it went", async () => {
  const editor = await service.loginAs("editor");
  const { body: session } = await editor.get<{ user: { id: string } }>("/api/auth/session");
  const { id } = await createCatalogue(editor);
  const requestId = randomUUID();
  await editor.get(`/api/catalogues/${id}/events?limit=1`, { "x-request-id": requestId });
  expect(await lineOf(requestId)).toMatchObject({
    subsystem: "gateway",
    level: "info",
    method: "GET",
    route: "/api/catalogues/:id/events",
    status: 200,
    durationMs: expect.any(Number),
    userId: session.user.id,
  });
});

test.each([
  ["/nowhere?token=secret-in-query", null, 404],
  ["/api/users", "/api/users", 401],
  ["/api/catalogues?page=0", "/api/catalogues", 400],
  ["/api/catalogues/%", null, 400],
])("a request for %s has its line, without its path", async (path, route, status) => {
  const requestId = randomUUID();
  await createApiClient(service.url).get(path, { "x-request-id": requestId });
  expect(await lineOf(requestId)).toMatchObject({ route, status, userId: null });
});

test("logs hold no password, token, cookie, query or address, whatever goes wrong", async () => {
  const secrets = {
    email: newEmail(),
    password: `${PASSWORD} ${randomUUID()}`,
    wrong: `wrong ${randomUUID()}`,
    queryToken: randomUUID(),
    resetToken: randomUUID(),
    cookie: randomUUID(),
  };
  const { email, password, wrong, queryToken, resetToken, cookie } = secrets;
  const guest = createApiClient(service.url);
  const post = (path: string, body: unknown, headers = {}) =>
    guest.send<{ token?: string }>("POST", path, body, headers);
  await post("/api/auth/register", { name: "Ana", email, password });
  await post("/api/auth/register", { name: "Ana", email, password });
  await post("/api/auth/login", { email, password: wrong });
  await post("/api/auth/login", `{"email": "${email}", "password": "${wrong}"`);
  await post("/api/auth/login", { email, password: [wrong] });
  await post("/api/auth/forgot-password", { email });
  await post("/api/auth/reset-password", { token: resetToken, newPassword: password });
  const { body } = await post("/api/auth/login", { email, password });
  const token = body.token ?? "";
  await guest.get(`/api/users?token=${queryToken}`, { cookie: `session=${token}; a=${cookie}` });
  await guest.get(`/reset-password?token=${queryToken}`);
  await guest.get("/api/users", { authorization: `Bearer ${token}x` });
  const signedIn = createApiClient(service.url, token);
  const { id: tokenId, secret: tokenSecret } = await newAccessToken(signedIn);
  const scripted = randomUUID();
  const basicly = { authorization: basic(tokenSecret), "x-request-id": scripted };
  await guest.get(`/api/catalogues?search=${tokenSecret}`, basicly);
  await guest.get("/api/catalogues", { authorization: `Bearer ${tokenSecret}x` });
  expect(await lineOf(scripted)).toMatchObject({ status: 200, tokenId });
  await post("/api/auth/logout", undefined, { authorization: `Bearer ${token}` });
  const requestId = randomUUID();
  await guest.get("/api/health", { "x-request-id": requestId });
  await lineOf(requestId);

  const log = lines.join("");
  for (const secret of [...Object.values(secrets), tokenSecret, token, token.split(".")[2] ?? ""]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(log).not.toContain(secret);
  }
  expect(log).not.toMatch(/argon2/i);
});

test("every line names its subsystem", () => {
  const subsystems = new Set(lines.map((line) => (JSON.parse(line) as Line)["subsystem"]));
  expect(subsystems).not.toContain(undefined);
  expect(["gateway", "notifier", "projector"]).toEqual(expect.arrayContaining([...subsystems]));
});
