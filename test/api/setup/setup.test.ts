import { describe, expect, test } from "vitest";
import { keyed } from "../../support/api/keyed.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const CODE = "a code of the start";
const WITHOUT_ADMINISTRATOR = { CREATE_ADMIN_USER: "false" };
const FORM = { code: CODE, email: "first@example.org", password: "twelve letters", name: "First" };

describe("a service with a link for setting up", () => {
  const service = useService(WITHOUT_ADMINISTRATOR, { setupCode: CODE });
  const guest = () => createApiClient(service.url);
  const load = (code: unknown) => guest().send("POST", "/api/setup/sample", { code });
  const make = (form: Readonly<Record<string, unknown>>) =>
    guest().send("POST", "/api/setup/administrator", form);

  test("is set up by its code alone, once: sample and first administrator", async () => {
    for (const code of ["", "wrong", `${CODE} `, 1, null, undefined, [CODE]]) {
      expectRefusal(await load(code), "FORBIDDEN");
      expectRefusal(await make({ ...FORM, code }), "FORBIDDEN");
    }
    const loaded = await guest().send<{ catalogueId: string }>("POST", "/api/setup/sample", {
      code: CODE,
    });
    expect(loaded.status).toBe(201);
    const address = `/api/catalogues/${loaded.body.catalogueId}`;
    expect(loaded.headers.get("location")).toBe(address);
    const { body } = await guest().get<{ event_count: number }>(address);
    expect(body).toMatchObject({
      name: expect.stringMatching(/^Sample: /),
      is_public: true,
      status: "active",
      version: 1,
    });
    expect(body.event_count).toBeGreaterThan(1_000);
    expectRefusal(await load(CODE), "CONFLICT");

    expectRefusal(await make({ ...FORM, password: "elevenchars" }), "VALIDATION_ERROR", "password");
    expectRefusal(await make({ ...FORM, email: "nobody" }), "VALIDATION_ERROR");
    expectRefusal(await make({ code: CODE }), "VALIDATION_ERROR", "email");

    const [one, other] = await Promise.all([make(FORM), make({ ...FORM, email: "b@example.org" })]);
    expect([one.status, other.status].toSorted()).toEqual([201, 404]);
    const made = one.status === 201 ? one : other;
    expect(made.body).toEqual({
      user: {
        id: expect.stringMatching(/^user_\d+_/),
        email: expect.stringMatching(/@example.org$/),
        name: "First",
        role: "admin",
        is_active: true,
        email_verified: false,
        created_at: expect.any(String),
      },
    });
    const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? "";
    const users = await fetch(`${service.url}/api/users`, { headers: { cookie } });
    expect(users.status).toBe(200);

    for (const answer of [
      await load(CODE),
      await load("wrong"),
      await make(FORM),
      await make({}),
    ]) {
      expectRefusal(answer, "NOT_FOUND");
    }
  });
});

describe("a service without a link for setting up", () => {
  const service = useService();
  const guest = () => createApiClient(service.url);

  test("answers 404 at its addresses", async () => {
    for (const path of ["/api/setup/sample", "/api/setup/administrator"]) {
      for (const body of [{}, FORM])
        expectRefusal(await guest().send("POST", path, body), "NOT_FOUND");
    }
  });

  test("lets editors load the sample: once, and again after it was deleted", async () => {
    const editor = await service.loginAs("editor");
    const load = () =>
      editor.send<{ catalogueId: string }>("POST", "/api/sample", undefined, keyed());
    const [one, other] = await Promise.all([load(), load()]);
    expect([one.status, other.status].toSorted()).toEqual([201, 409]);
    const { catalogueId } = one.status === 201 ? one.body : other.body;
    await editor.send("PATCH", `/api/catalogues/${catalogueId}`, { name: "Mine now" });
    expectRefusal(await load(), "CONFLICT");
    const { body } = await editor.get(`/api/catalogues/${catalogueId}`);
    expect(body).toMatchObject({ created_by: expect.stringMatching(/^user_/) });
    await editor.send("DELETE", `/api/catalogues/${catalogueId}`);
    const again = await load();
    expect(again.status).toBe(201);
    expect(again.body.catalogueId).not.toBe(catalogueId);
  });
});

describe("two gateways of one database, each with a link of its own", () => {
  const first = useService(WITHOUT_ADMINISTRATOR, { setupCode: CODE });
  const second = useService(WITHOUT_ADMINISTRATOR, { copyOf: first, setupCode: "another code" });
  const make = (url: string, form: object) =>
    createApiClient(url).send("POST", "/api/setup/administrator", { ...FORM, ...form });

  test("make one first administrator, of which both know at once", async () => {
    expectRefusal(await make(second.url, {}), "FORBIDDEN");
    const answers = await Promise.all([
      make(first.url, {}),
      make(second.url, { code: "another code", email: "second@example.org" }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404]);
    expectRefusal(await make(first.url, {}), "NOT_FOUND");
    expectRefusal(await make(second.url, { code: "another code" }), "NOT_FOUND");
  });
});

describe("a service that is set up by many at once", () => {
  const service = useService(
    { ...WITHOUT_ADMINISTRATOR, RATE_LIMIT_AUTH: "0" },
    { setupCode: CODE },
  );

  test("makes one first administrator, and answers the others", async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        createApiClient(service.url).send("POST", "/api/setup/administrator", {
          ...FORM,
          email: `first-${i}@example.org`,
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array.from({ length: 23 }, () => 404)]);
  });
});
