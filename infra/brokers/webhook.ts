import { createHmac } from "node:crypto";
import { SIGNATURE_HEADER, type WebhookBody } from "#contracts/events/notices.ts";
import { retryAfterMs } from "../kernel/waiting.ts";

/** The webhook did not accept a notification. The message has none of its content. */
export class WebhookFailure extends Error {
  override readonly name = "WebhookFailure";
  /** The wait that the webhook asks for (`Retry-After`); null without one. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | null } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Longest wait before a retry, even if the webhook asks for more. */
const LONGEST_WAIT_MS = 3_600_000;

type WebhookOptions = {
  /** http or https; a user name and password in it are sent as Basic authorization. */
  readonly url: string;
  /** Keys for signing bodies: none, one, or two while receivers change from one to the other. */
  readonly secrets: readonly string[];
  /** Time from the request to the head of the answer. */
  readonly timeoutMs: number;
};

export type Webhook = ReturnType<typeof createWebhook>;

/** The configured webhook. Redirects are not followed, since they would send addresses elsewhere. */
export function createWebhook({ url, secrets, timeoutMs }: WebhookOptions) {
  const { address, authorization } = targetOf(url);
  return {
    /** Resolves after a 2xx answer. @throws WebhookFailure for any other outcome */
    async send(content: WebhookBody): Promise<void> {
      const body = JSON.stringify(content);
      const response = await answerTo(timeoutMs, (signal) =>
        fetch(address, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...authorization,
            ...(secrets.length > 0 && { [SIGNATURE_HEADER]: signaturesOf(secrets, body) }),
          },
          body,
          redirect: "manual",
          signal,
        }),
      );
      if (response.ok) return;
      if (response.status >= 300 && response.status < 400) {
        throw new WebhookFailure(`the webhook answered with a redirect (${response.status})`);
      }
      const wait = response.headers.get("retry-after");
      throw new WebhookFailure(`the webhook answered ${response.status}`, {
        retryAfterMs: retryAfterMs(wait, Date.now(), LONGEST_WAIT_MS),
      });
    },
  };
}

/** `sha256=` and the HMAC of the bytes sent, in hexadecimal; of two keys both, by comma. */
function signaturesOf(secrets: readonly string[], body: string): string {
  const signatures = secrets.map((secret) => createHmac("sha256", secret).update(body, "utf8"));
  return signatures.map((signature) => `sha256=${signature.digest("hex")}`).join(",");
}

/** fetch refuses credentials in a URL, so they go into the Authorization header. */
function targetOf(url: string): { address: URL; authorization: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === "" && password === "") return { address, authorization: {} };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  address.username = "";
  address.password = "";
  const basic = Buffer.from(credentials, "utf8").toString("base64");
  return { address, authorization: { authorization: `Basic ${basic}` } };
}

async function answerTo(
  timeoutMs: number,
  request: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  try {
    const response = await request(AbortSignal.timeout(timeoutMs));
    // The body is irrelevant and may be endless.
    await response.body?.cancel();
    return response;
  } catch (cause) {
    throw new WebhookFailure(sentenceOf(cause, timeoutMs), { cause });
  }
}

function sentenceOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === "TimeoutError") {
    return `the webhook did not answer within ${timeoutMs / 1_000} s`;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : "";
  return `the webhook could not be reached${code}`;
}
