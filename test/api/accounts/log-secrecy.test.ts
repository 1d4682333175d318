import { expect, test } from "vitest";
import { administrator } from "../../support/api/accounts.ts";
import { resetTokenOf } from "../../support/api/reset-token.ts";
import { createApiClient } from "../../support/api-client.ts";
import { secretForms } from "../../support/secret-forms.ts";
import { useService } from "../../support/service.ts";

const service = useService();

test("the log holds no address, name, password, token, justification or note", async () => {
  const guest = createApiClient(service.url);
  const admin = await administrator(service);
  const email = "secret.person@hidden.example.org";
  const passwords = ["first secret password", "second secret password", "third secret password"];
  const [password = "", second = "", third = ""] = passwords;
  const registration = { name: "Secretname", email, password };
  const { body } = await guest.send<{ user: { id: string } }>(
    "POST",
    "/api/auth/register",
    registration,
  );
  const { id } = body.user;
  const signedIn = await guest.send<{ token: string }>("POST", "/api/auth/login", registration);
  const client = createApiClient(service.url, signedIn.body.token);
  const statuses: number[] = [];
  const step = async (...request: Parameters<typeof client.send>) => {
    const answer = await client.send<{ request: { id: string } }>(...request);
    statuses.push(answer.status);
    return answer.body;
  };
  const justification = "secretjustification of mine";
  const form = { requestedRole: "editor", justification };
  const { request } = await step("POST", "/api/role-requests", form);
  const change = { currentPassword: password, newPassword: second };
  await step("POST", "/api/auth/change-password", change);
  await step("POST", "/api/auth/forgot-password", { email });
  const review = { status: "approved", adminNotes: "secretnote of theirs" };
  await admin.send("PATCH", `/api/role-requests/${request.id}`, review);
  await admin.send("PATCH", `/api/users/${id}`, { name: "Othersecret" });
  const token = await resetTokenOf(service, id);
  await step("POST", "/api/auth/reset-password", { token, newPassword: third });
  expect(statuses).toEqual([201, 200, 200, 200]);
  const beforeDeletion = await service.log.text();
  await admin.send("DELETE", `/api/users/${id}`);
  const log = await service.log.text();
  expect(log.length).toBeGreaterThan(beforeDeletion.length);
  for (const type of ["PasswordResetRequested", "RoleRequestReviewed", "UserDeleted"]) {
    expect(log).toContain(type);
  }
  const secrets = [
    ...passwords,
    token,
    signedIn.body.token,
    "secret.person",
    "hidden.example",
    "example.org",
    "Secretname",
    "Othersecret",
    "secretjustification",
    "secretnote",
    "argon2",
  ];
  const folded = log.toLowerCase();
  for (const secret of secrets) {
    expect(folded).not.toContain(secret.toLowerCase());
    for (const form of secretForms(secret)) expect(log).not.toContain(form);
  }
});
