import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readSession, signIn, signOut, user } from "#services/console/api/session.ts";

/** Answers of the service that are still to come, in the order of the questions. */
const answers: ((body: unknown) => void)[] = [];

beforeEach(() => {
  vi.stubGlobal("fetch", () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    answers.push((body) => resolve(Response.json(body)));
    return promise;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  answers.length = 0;
  user.value = undefined;
});

const ANNA = { user: { id: "a", role: "editor" } };

test("an answer from before the sign-out does not sign in again", async () => {
  const read = readSession();
  const out = signOut();
  answers[1]?.({});
  await out;
  answers[0]?.(ANNA);
  await read;
  expect(user.value).toBeNull();
});

test("an answer from before the sign-in does not sign out, whenever it comes", async () => {
  const first = readSession();
  const signedIn = signIn("anna@example.org", "secret");
  const second = readSession();
  answers[2]?.({ user: null });
  await second;
  answers[1]?.(ANNA);
  await signedIn;
  answers[0]?.({ user: null });
  await first;
  expect(user.value).toMatchObject(ANNA.user);
});

test("of two questions the later one's answer stays", async () => {
  const first = readSession();
  const second = readSession();
  answers[1]?.(ANNA);
  await second;
  answers[0]?.({ user: null });
  await first;
  expect(user.value).toMatchObject(ANNA.user);
});
