import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { SIGNATURE_HEADER, type WebhookBody } from "#contracts/events/notices.ts";
import { type AddressGuard, AddressRefused } from "../agency/http/address-guard.ts";
import { retryAfterMs, settledWithin } from "../kernel/waiting.ts";

/** The webhook did not accept a notification. The message has none of its content. */
export class WebhookFailure extends Error {
  override readonly name = "WebhookFailure";
  /** Of the answer; null without one. */
  readonly status: number | null;
  /** The wait that the webhook asks for (`Retry-After`); null without one. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    options: { cause?: unknown; status?: number; retryAfterMs?: number | null } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.status = options.status ?? null;
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

/** The configured webhook. */
export function createWebhook({ url, secrets, timeoutMs }: WebhookOptions) {
  return {
    /** Resolves after a 2xx answer. @throws WebhookFailure for any other outcome */
    async send(content: WebhookBody): Promise<void> {
      const { id } = content;
      const body = JSON.stringify(content);
      const headers = secrets.length > 0 && { [SIGNATURE_HEADER]: signaturesOf(secrets, body) };
      const contentType = "application/json";
      await post({ url, id, body, contentType, secrets, timeoutMs, ...(headers && { headers }) });
    },
  };
}

export type Post = WebhookOptions & {
  /** The same in every attempt. */
  readonly id: string;
  readonly body: string;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the address may lead; absent for anywhere. */
  readonly guard?: AddressGuard;
};

/**
 * Posts a body with the headers of Standard Webhooks. Redirects are not followed, since they would send what is told
 * elsewhere. Resolves after a 2xx answer, whose status it returns. @throws WebhookFailure for any other outcome
 */
export async function post({ url, id, body, ...options }: Post): Promise<number> {
  const { contentType, secrets, timeoutMs, headers, guard } = options;
  const { address, authorization } = targetOf(url);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    return `v1,${createHmac("sha256", keyOf(secret)).update(signed, "utf8").digest("base64")}`;
  });
  const { status, wait } = await answerTo(address, timeoutMs, guard, body, {
    "content-type": contentType,
    "content-length": String(Buffer.byteLength(body)),
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
    ...authorization,
    ...headers,
  });
  if (status >= 200 && status < 300) return status;
  if (status >= 300 && status < 400) {
    throw new WebhookFailure(`the webhook answered with a redirect (${status})`, { status });
  }
  throw new WebhookFailure(`the webhook answered ${status}`, {
    status,
    retryAfterMs: retryAfterMs(wait, Date.now(), LONGEST_WAIT_MS),
  });
}

const PREFIX = "whsec_";

/** The bytes that a secret of Standard Webhooks stands for; those of any other text are its own. */
function keyOf(secret: string): Buffer {
  if (!secret.startsWith(PREFIX)) return Buffer.from(secret, "utf8");
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}

/** `sha256=` and the HMAC of the bytes sent, in hexadecimal; of two keys both, by comma. */
function signaturesOf(secrets: readonly string[], body: string): string {
  const signatures = secrets.map((secret) => createHmac("sha256", secret).update(body, "utf8"));
  return signatures.map((signature) => `sha256=${signature.digest("hex")}`).join(",");
}

/** Credentials of an address go into the Authorization header. */
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

/** Bytes of an answer that are read, and for how long, before its connection is cut: they are irrelevant. */
const READ_BYTES = 64 * 1024;
const READ_MS = 1_000;

async function answerTo(
  address: URL,
  timeoutMs: number,
  guard: AddressGuard | undefined,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly wait: string | undefined }> {
  const send = address.protocol === "https:" ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    guard?.require(address);
    // Without an agent's pool: a receiver that closes its connections would break the next request.
    const lookup = guard && { lookup: guard.lookup };
    const request = send(address, { method: "POST", agent: false, headers, signal, ...lookup });
    request.end(body);
    const [response] = await once(request, "response");
    request.on("error", () => {});
    let bytes = 0;
    response.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > READ_BYTES) response.destroy();
    });
    await settledWithin(once(response, "close"), READ_MS);
    response.destroy();
    return { status: response.statusCode ?? 0, wait: response.headers["retry-after"] };
  } catch (cause) {
    throw new WebhookFailure(sentenceOf(cause, timeoutMs), { cause });
  }
}

function sentenceOf(error: unknown, timeoutMs: number): string {
  const cause = error instanceof Error ? error.cause : undefined;
  for (const each of [error, cause]) {
    if (each instanceof AddressRefused) return `the address of the webhook ${each.message}`;
    if (each instanceof Error && each.name === "TimeoutError") {
      return `the webhook did not answer within ${timeoutMs / 1_000} s`;
    }
  }
  const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
  return `the webhook could not be reached${code}`;
}
