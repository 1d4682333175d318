import type { FastifyBaseLogger } from "fastify";
import { SignInRefused } from "#infra/openid/sign-in-refused.ts";
import type { TextAnswer } from "../../http/handler.ts";

/** Sends a browser elsewhere, with what it shall keep. */
export function redirect(location: string, ...cookies: readonly string[]): TextAnswer {
  return { contentType: "text/plain; charset=utf-8", text: "", headers: { location }, cookies };
}

type Asker = {
  readonly accept: string | undefined;
  readonly log: Pick<FastifyBaseLogger, "warn">;
  /** Where the person wanted to go. */
  readonly next: string;
  /** The `Set-Cookie` header that ends the sign-in. */
  readonly cleared: string;
};

/**
 * A browser is sent to the page for signing in, which says why; other programs get the error.
 * @throws the error
 */
export function refused(error: unknown, { accept = "", log, next, cleared }: Asker): TextAnswer {
  if (!(error instanceof SignInRefused)) throw error;
  // Claims, which a cause may carry, are nobody else's business.
  const why = error.cause instanceof Error ? error.cause.message : undefined;
  log.warn({ reason: error.reason, why }, "a sign-in at the institute failed");
  if (!accept.includes("text/html")) throw error;
  const query = new URLSearchParams({ refused: error.reason, ...(next !== "/" && { next }) });
  return redirect(`/login?${query}`, cleared);
}
