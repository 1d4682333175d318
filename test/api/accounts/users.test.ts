import { describe, expect, test } from "vitest";
import type { UserDetails } from "#contracts/http/accounts/users.ts";
import { administrator, newAccount } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

describe("an administrator's change", () => {
  test("an administrator's change bites on the user's very next request", async () => {
    const admin = await administrator(service);
    const { id, signIn } = await newAccount(service, "viewer");
    const { client } = await signIn();
    const change = (body: unknown) => admin.send("PATCH", `/api/users/${id}`, body);
    const create = async () =>
      (await client.send("POST", "/api/catalogues", { name: "x", events: [] })).status;
    expect(await create()).toBe(403);
    await change({ role: "editor" });
    expect(await create()).toBe(201);
    await change({ role: "viewer" });
    expect(await create()).toBe(403);
    await change({ is_active: false });
    expect(await create()).toBe(401);
    // A token of before the deactivation stays dead.
    await change({ is_active: true, role: "editor" });
    expect(await create()).toBe(401);
  });
});

describe("/api/users", () => {
  const admin = () => administrator(service);

  test("/api/users lists every account, newest first, without anything secret", async () => {
    const client = await admin();
    const older = await newAccount(service, "viewer");
    const newer = await newAccount(service, "editor");
    const { body } = await client.get<{ users: UserDetails[] }>("/api/users");
    expect(body.users.slice(0, 2).map(({ id }) => id)).toEqual([newer.id, older.id]);
    expect(Object.keys(body.users[0] ?? {}).sort()).toEqual([
      "created_at",
      "email",
      "email_verified",
      "id",
      "is_active",
      "last_login",
      "name",
      "role",
      "updated_at",
    ]);
    expect(JSON.stringify(body)).not.toMatch(/argon2|password|hash/i);
  });

  test("/api/users changes role, state and name, and answers the user so", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const change = { role: "editor", is_active: false, name: "Ana María" };
    const answer = await (await admin()).send("PATCH", `/api/users/${id}`, change);
    expect(answer).toMatchObject({ status: 200, body: { user: { id, email, ...change } } });
    expect((await (await admin()).get(`/api/users/${id}`)).body).toEqual(answer.body);
  });

  test.each([
    [{}, "role"],
    [{ role: "guest" }, "role"],
    [{ role: "owner" }, "role"],
    [{ role: null }, "role"],
    [{ is_active: "no" }, "is_active"],
    [{ name: "x".repeat(256) }, "name"],
    [{ name: "a\0b" }, "name"],
    [{ name: "\ud800" }, "name"],
    [{ name: "a\u202eb" }, "name"],
    [{ name: "a\nb" }, "name"],
  ])("/api/users refuses %j and names the field", async (change, field) => {
    const { id } = await newAccount(service, "viewer");
    const client = await admin();
    const { body: before } = await client.get(`/api/users/${id}`);
    expectRefusal(
      await client.send("PATCH", `/api/users/${id}`, change),
      "VALIDATION_ERROR",
      field,
    );
    expect((await client.get(`/api/users/${id}`)).body).toEqual(before);
  });

  test("/api/users refuses a name that is missing as other names", async () => {
    const { id } = await newAccount(service, "viewer");
    const answer = await (await admin()).send("PATCH", `/api/users/${id}`, { name: " " });
    expectRefusal(answer, "MISSING_NAME");
  });

  test.each(["user_1_unknown", "no-user", "%00", "..%2f", "user_1_a'--"])(
    "/api/users answers 404 for %s",
    async (id) => {
      const client = await admin();
      expectRefusal(await client.get(`/api/users/${id}`), "NOT_FOUND");
      expectRefusal(
        await client.send("PATCH", `/api/users/${id}`, { role: "editor" }),
        "NOT_FOUND",
      );
    },
  );

  test.each([[{ role: "viewer" }], [{ role: "editor" }], [{ is_active: false }]])(
    "/api/users refuses %j about yourself",
    async (change) => {
      const { id, signIn } = await newAccount(service, "admin");
      const { client } = await signIn();
      expectRefusal(
        await client.send("PATCH", `/api/users/${id}`, change),
        "VALIDATION_ERROR",
        "yourself",
      );
      expect((await client.get("/api/users")).status).toBe(200);
    },
  );

  test("/api/users lets you rename yourself", async () => {
    const { id, signIn } = await newAccount(service, "admin");
    const { client } = await signIn();
    const answer = await client.send("PATCH", `/api/users/${id}`, { name: "Me", role: "admin" });
    expect(answer).toMatchObject({ status: 200, body: { user: { name: "Me" } } });
  });
});
