import type { Notification } from "#contracts/http/notifications.ts";
import type { WebhookBody } from "#contracts/notifications/notice.ts";
import { type ApiClient, signIn } from "../support/api-client.ts";
import type { Ledger } from "./ledger.ts";

/** Every account that was acknowledged can sign in. @returns what is wrong */
export async function checkAccounts(url: string, { accounts }: Ledger): Promise<string[]> {
  const losses: string[] = [];
  for (const [email, { password }] of accounts) {
    await signIn(url, { email, password }).catch((error: Error) =>
      losses.push(`${email} cannot sign in: ${error.message}`),
    );
  }
  return losses;
}

/**
 * Each reset and each role request that was acknowledged has come to the webhook, and the service
 * has none left over. @returns what is wrong
 */
export async function checkNotifications(
  client: ApiClient,
  { accounts, roleRequests }: Ledger,
  taken: readonly WebhookBody[],
): Promise<string[]> {
  const losses: string[] = [];
  const ids = (of: Partial<WebhookBody>): number =>
    new Set(
      taken
        .filter(({ to, type }) => type === of.type && (of.to === undefined || to === of.to))
        .map(({ id }) => id),
    ).size;
  for (const [email, { isReset }] of accounts) {
    const told = ids({ type: "password_reset", to: email });
    if (isReset && told === 0) losses.push(`${email} was not told of its reset`);
  }
  const told = ids({ type: "role_request_submitted" });
  if (told < roleRequests) losses.push(`${told} of ${roleRequests} role requests were told of`);
  for (const status of ["pending", "parked"] as const) {
    const path = `/api/notifications?status=${status}`;
    const { body } = await client.get<{ notifications: Notification[] }>(path);
    if (body.notifications.length > 0) {
      losses.push(`${body.notifications.length} notifications are ${status}`);
    }
  }
  return losses;
}
