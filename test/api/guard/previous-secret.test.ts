import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { buildBareApp } from "../../support/bare-app.ts";

const NEW = "a new secret of this test alone, 32 long";
const OLD = "an older secret of this test, 32 long";

const actor = {
  userId: "user_1_reader",
  email: "a@example.org",
  name: "Ana",
  role: "viewer",
  sessionId: randomUUID(),
  expires: "2030-01-01T00:00:00.000Z",
} as const;

async function openApp(jwtSecret: string, previousJwtSecret: string | null) {
  const app = await buildBareApp(
    { getSession: async (call) => ({ body: call.actor ? { expires: call.actor.expires } : {} }) },
    { config: { jwtSecret, previousJwtSecret }, readActor: async () => actor, checkAnswers: false },
  );
  onTestFinished(() => app.close());
  await app.ready();
  return {
    token: () => {
      const iat = Math.floor(Date.now() / 1_000);
      return app.jwt.sign({ sub: actor.userId, sid: actor.sessionId, iat, exp: iat + 60 });
    },
    accepts: async (token: string): Promise<boolean> => {
      const headers = { authorization: `Bearer ${token}` };
      const { body } = await app.inject({ url: "/api/auth/session", headers });
      return body.includes(actor.expires);
    },
  };
}

test("a session that the secret before has signed is good as long as that is configured, and signs no new one", async () => {
  const [before, between, after] = [
    await openApp(OLD, null),
    await openApp(NEW, OLD),
    await openApp(NEW, null),
  ];
  expect(await between.accepts(before.token())).toBe(true);
  expect(await between.accepts(between.token())).toBe(true);
  expect(await after.accepts(between.token())).toBe(true);
  expect(await after.accepts(before.token())).toBe(false);
  expect(await before.accepts(between.token())).toBe(false);
});
