import { expect, test } from "vitest";
import { SIGN_IN_REFUSALS } from "#contracts/sign-in-refusals.ts";
import { createApiClient } from "../../support/api-client.ts";
import { createVisitor } from "../../support/openid/start-institute.ts";
import { useService } from "../../support/service.ts";
import { newPerson, useInstitute } from "./use-institute.ts";

const scene = useInstitute();
const { service, arrive, comeBack, session } = scene;
const SENTENCE = { error: SIGN_IN_REFUSALS.unavailable.text };

test("an institute that stays silent is 503, and others are answered before that", async () => {
  const visitor = createVisitor();
  scene.institute.freeze(true);
  let answered = 0;
  const answers = Promise.all(
    [1, 2, 3, 4].map(async () => {
      const answer = await comeBack(visitor, "/api/auth/oidc");
      answered += 1;
      return answer;
    }),
  );
  expect((await createApiClient(service.url).get("/api/auth/session")).status).toBe(200);
  expect(answered).toBe(0);
  for (const answer of await answers) expect(answer).toMatchObject({ status: 503, body: SENTENCE });
});

test("it is asked again as soon as somebody signs in again", async () => {
  scene.institute.freeze(false);
  const visitor = createVisitor();
  scene.institute.attend(newPerson());
  expect((await comeBack(visitor, await arrive(visitor))).status).toBe(302);
  expect(await session(visitor)).toBeDefined();
});

test("an institute that stays silent at the end of a sign-in is 503, and nobody is signed in", async () => {
  const visitor = createVisitor();
  scene.institute.attend(newPerson());
  const callback = await arrive(visitor);
  scene.institute.freeze(true);
  expect(await comeBack(visitor, callback)).toMatchObject({ status: 503, body: SENTENCE });
  scene.institute.freeze(false);
  expect(await session(visitor)).toBeUndefined();
});

const absent = useService({ OIDC_ISSUER: "http://127.0.0.1:9", OIDC_CLIENT_ID: "earthquakes" });

test("an institute that is not there is 503, and after some attempts is not asked for a while", async () => {
  for (let attempt = 0; attempt < 7; attempt += 1) {
    const { status, body } = await createApiClient(absent.url).get("/api/auth/oidc");
    expect({ status, body }).toMatchObject({ status: 503, body: SENTENCE });
  }
  const admin = await absent.loginAs("admin");
  const state = /^circuit_breaker_state\{circuit="127\.0\.0\.1:9"\} (\d)$/m;
  const { body } = await admin.get<string>("/metrics");
  expect(state.exec(body)?.[1]).toBe("2");
});

const badlySetUp = useInstitute({ OIDC_CLIENT_SECRET: "of another service" });

test("an institute that does not know the service's secret is 503 with a sentence that says who can help", async () => {
  expect(await badlySetUp.signIn(newPerson())).toMatchObject({
    status: 503,
    body: { error: SIGN_IN_REFUSALS["badly-set-up"].text },
  });
});

const known = useInstitute();

test("whoever begins once a known institute is silent comes to the page for signing in, with the reason", async () => {
  expect((await known.signIn(newPerson())).status).toBe(302);
  known.institute.freeze(true);
  const browser = createVisitor("text/html");
  const begin = async () => (await known.comeBack(browser, "/api/auth/oidc?next=/jobs")).location;
  // It counts as answering for a second.
  await expect.poll(begin, { timeout: 9_000 }).toBe("/login?refused=unavailable&next=%2Fjobs");
  known.institute.freeze(false);
});
