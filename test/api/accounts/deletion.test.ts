import { describe, expect, test } from "vitest";
import { administrator, newAccount, PASSWORD } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const guest = () => createApiClient(service.url);

describe("DELETE /api/users/{id}", () => {
  test("DELETE /api/users/{id} ends the account with its sessions and tokens, and frees its address", async () => {
    const admin = await administrator(service);
    const { id, email, signIn } = await newAccount(service, "editor");
    const { client } = await signIn();
    const token = await resetTokenOf(service, id);
    const answer = await admin.send("DELETE", `/api/users/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { message: "User deleted" } });
    expectRefusal(await client.get("/api/role-requests/me"), "UNAUTHENTICATED");
    expectRefusal(await admin.get(`/api/users/${id}`), "NOT_FOUND");
    const credentials = { email, password: PASSWORD };
    expect((await guest().send("POST", "/api/auth/login", credentials)).status).toBe(401);
    const reset = { token, newPassword: "another password" };
    expectRefusal(
      await guest().send("POST", "/api/auth/reset-password", reset),
      "VALIDATION_ERROR",
    );
    const form = { ...credentials, name: "Ana again" };
    const again = await guest().send<{ user: { id: string } }>("POST", "/api/auth/register", form);
    expect(again.status).toBe(201);
    expect(again.body.user.id).not.toBe(id);
    expectRefusal(await admin.send("DELETE", `/api/users/${id}`), "NOT_FOUND");
  });

  test("DELETE /api/users/{id} takes the user's role requests along", async () => {
    const admin = await administrator(service);
    const { id, signIn } = await newAccount(service, "viewer");
    const form = { requestedRole: "admin", justification: "I run the network." };
    await (await signIn()).client.send("POST", "/api/role-requests", form);
    const requesters = async () => {
      const { body } = await admin.get<{ requests: { user_id: string }[] }>("/api/role-requests");
      return body.requests.map(({ user_id }) => user_id);
    };
    expect(await requesters()).toContain(id);
    await admin.send("DELETE", `/api/users/${id}`);
    expect(await requesters()).not.toContain(id);
  });

  test("DELETE /api/users/{id} refuses deleting yourself", async () => {
    const { id, signIn } = await newAccount(service, "admin");
    const { client } = await signIn();
    const answer = await client.send("DELETE", `/api/users/${id}`);
    expectRefusal(answer, "VALIDATION_ERROR", "yourself");
    expect((await client.get("/api/users")).status).toBe(200);
  });

  test.each(["user_1_unknown", "no-user", "%00", "..%2f"])(
    "DELETE /api/users/{id} answers 404 for %s",
    async (id) => {
      const admin = await administrator(service);
      expectRefusal(await admin.send("DELETE", `/api/users/${id}`), "NOT_FOUND");
    },
  );
});
