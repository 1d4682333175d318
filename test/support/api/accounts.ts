import { randomUUID } from "node:crypto";
import { type ApiClient, createApiClient } from "../api-client.ts";
import type { TestService } from "../service.ts";

/** An address that no other account has. */
export function newEmail(): string {
  return `${randomUUID()}@example.org`;
}

export const PASSWORD = "a long user password";

export type TestAccount = {
  readonly id: string;
  readonly email: string;
  /** Signs in anew: a session of its own. */
  readonly signIn: () => Promise<{ token: string; client: ApiClient }>;
};

export async function newAccount(
  service: TestService,
  role: "viewer" | "editor" | "admin",
): Promise<TestAccount> {
  const email = newEmail();
  const guest = createApiClient(service.url);
  const form = { name: role, email, password: PASSWORD };
  const { body } = await guest.send<{ user: { id: string } }>("POST", "/api/auth/register", form);
  const { id } = body.user;
  const admin = await service.loginAs("admin");
  if (role !== "viewer") await admin.send("PATCH", `/api/users/${id}`, { role });
  const signIn = async () => {
    const credentials = { email, password: PASSWORD };
    const answer = await guest.send<{ token: string }>("POST", "/api/auth/login", credentials);
    const { token } = answer.body;
    return { token, client: createApiClient(service.url, token) };
  };
  return { id, email, signIn };
}

/**
 * The bootstrap administrator. It may be seen only a moment after the service listens; whoever has
 * registered since then, it was seen before them.
 */
export async function administrator(service: TestService): Promise<ApiClient> {
  await service.loginAs("editor");
  return service.loginAs("admin");
}
