/** `__Host-` makes browsers refuse the cookie unless it is Secure, for this host alone and for all paths. */
export function sessionCookieName(publicBaseUrl: string): string {
  return isSecure(publicBaseUrl) ? "__Host-session" : "session";
}

/**
 * The `Set-Cookie` header that gives a browser its session token (RFC 6265 §4.1). A signed JWT holds
 * only characters that stand in a cookie as they are.
 */
export function sessionCookie(
  publicBaseUrl: string,
  token: string,
  lifetimeSeconds: number,
): string {
  const secure = isSecure(publicBaseUrl) ? "; Secure" : "";
  const pair = `${sessionCookieName(publicBaseUrl)}=${token}`;
  return `${pair}; Max-Age=${lifetimeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** The `Set-Cookie` header that takes the session token away again. */
export function clearedSessionCookie(publicBaseUrl: string): string {
  return sessionCookie(publicBaseUrl, "", 0);
}

function isSecure(publicBaseUrl: string): boolean {
  return new URL(publicBaseUrl).protocol === "https:";
}
