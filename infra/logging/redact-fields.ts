const CENSOR = "[redacted]";

/** Endings of secret field names, compared without case, `_` and `-`. */
const SECRET_NAME =
  /(?:password|passwordhash|secret|token|authorization|cookies?|apikey|privatekey)$/;

/** `?token=…` and the like in URLs, anywhere in a text. */
const SECRET_PARAMETER = /([?&][^?=&#\s]*(?:token|password|secret|key|code)=)[^&#\s"]*/gi;

/** `scheme://user:password@host`. */
const URL_CREDENTIALS = /(:\/\/[^/?#\s:@]*):[^/?#\s@]*@/g;

/** Secrets of access tokens (`infra/security/access-token.ts`). */
const TOKEN_SECRETS = /\beqc_\w+/g;

/** Deeper than any intended log field; also ends cycles. */
const MAX_DEPTH = 8;

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replaceAll(/[_-]/g, ""));
}

/** Replaces secrets in a text: those in its URLs, and those of access tokens. */
export function redactText(text: string): string {
  return text
    .replace(SECRET_PARAMETER, `$1${CENSOR}`)
    .replace(URL_CREDENTIALS, `$1:${CENSOR}@`)
    .replace(TOKEN_SECRETS, CENSOR);
}

/** Plain objects, and pino's serialised errors: everything without a class. */
function isPlainObject(value: object): value is Record<string, unknown> {
  const prototype = Object.getPrototypeOf(value) as { constructor?: unknown } | null;
  return prototype === null || prototype.constructor === Object;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (value === null || typeof value !== "object") return value;
  if (value instanceof URL) return redactText(value.href);
  if (depth === MAX_DEPTH) return "[too deep]";
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  // Errors, requests and other instances go to the logger's serializers.
  return isPlainObject(value) ? redactFields(value, depth + 1) : value;
}

/** Copies fields without secrets, at any depth: those of secret names, and those in texts. */
export function redactFields(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecretName(name) && value !== undefined && value !== null
        ? CENSOR
        : redactValue(value, depth),
    ]),
  );
}
