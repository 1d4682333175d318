import { expect, test } from "vitest";
import { SIGN_IN_REFUSALS } from "#contracts/sign-in-refusals.ts";
import { createVisitor } from "../../support/openid/start-institute.ts";
import { newPerson, useInstitute } from "./use-institute.ts";

const MIB = 1024 * 1024;
const UNAVAILABLE = { status: 503, body: { error: SIGN_IN_REFUSALS.unavailable.text } };
const scene = useInstitute();
const { comeBack } = scene;

/** A text of JSON that never ends. */
function* endless(): Generator<Buffer> {
  yield Buffer.from('{"issuer":"');
  for (;;) yield Buffer.alloc(64 * 1024, "x");
}

test("an answer of an institute is read no further than 1 MiB: what it says of itself", async () => {
  scene.institute.answer({ path: "/openid-configuration", body: endless });
  expect(await comeBack(createVisitor(), "/api/auth/oidc")).toMatchObject(UNAVAILABLE);
  // What was under way when the connection was closed lies in buffers.
  expect(scene.institute.sent()).toBeLessThan(8 * MIB);
  scene.institute.answer(null);
});

test("what an institute says of itself is refused where it is too deep", async () => {
  const { issuer } = scene.institute;
  const said = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  // One level is the whole.
  for (const levels of [64, 200_000]) {
    const deep = `"further":${"[".repeat(levels)}${"]".repeat(levels)}`;
    const body = () => [Buffer.from(`${JSON.stringify(said).slice(0, -1)},${deep}}`)];
    scene.institute.answer({ path: "/openid-configuration", body });
    expect(await comeBack(createVisitor(), "/api/auth/oidc")).toMatchObject(UNAVAILABLE);
  }
  scene.institute.answer(null);
});

/** Another one, which is not left alone yet after failures. */
const later = useInstitute();

test.each(["/token", "/jwks", "/me"])(
  "an answer of an institute is read no further than 1 MiB: %s",
  async (path) => {
    later.institute.attend(newPerson());
    const visitor = createVisitor();
    const callback = await later.arrive(visitor);
    const before = later.institute.sent();
    later.institute.answer({ path, body: endless });
    expect(await later.comeBack(visitor, callback)).toMatchObject(UNAVAILABLE);
    const sent = later.institute.sent() - before;
    expect(sent).toBeGreaterThan(MIB);
    expect(sent).toBeLessThan(8 * MIB);
    later.institute.answer(null);
  },
);

test("a subject of more than 255 characters is refused with a sentence, and one of 255 signs in", async () => {
  const sub = "s".repeat(255);
  expect((await later.signIn(newPerson({ sub }))).status).toBe(302);
  expect(await later.signIn(newPerson({ sub: `${sub}s` }))).toMatchObject({
    status: 403,
    body: { error: SIGN_IN_REFUSALS["long-subject"].text },
  });
});
