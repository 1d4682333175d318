import type { AccessToken } from "#contracts/http/accounts.ts";
import type { ApiClient } from "../api-client.ts";

export type MadeToken = AccessToken & { readonly secret: string };

/** An access token of whoever the client is signed in as; for reading unless `form` says otherwise. */
export async function newAccessToken(
  client: ApiClient,
  form: Readonly<Record<string, unknown>> = {},
): Promise<MadeToken> {
  const body = { name: "A script", scopes: ["read"], ...form };
  type Made = { token: AccessToken; secret: string };
  const answer = await client.send<Made>("POST", "/api/tokens", body);
  if (answer.status !== 201) throw new Error(`a token: ${JSON.stringify(answer.body)}`);
  return { ...answer.body.token, secret: answer.body.secret };
}

/** The header of Basic, whose password is the secret. */
export function basic(secret: string, user = "anybody"): string {
  return `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
}
