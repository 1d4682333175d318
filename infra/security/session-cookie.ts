/** Browsers accept `__Host-` only if it is Secure, for this host alone and for all paths. */
export function sessionCookieName(publicBaseUrl: string): string {
  return isSecure(publicBaseUrl) ? "__Host-session" : "session";
}

/** The `Set-Cookie` header with a session token (RFC 6265, 4.1): a JWT needs no escapes. */
export function sessionCookie(
  publicBaseUrl: string,
  token: string,
  lifetimeSeconds: number,
): string {
  const secure = isSecure(publicBaseUrl) ? "; Secure" : "";
  const pair = `${sessionCookieName(publicBaseUrl)}=${token}`;
  return `${pair}; Max-Age=${lifetimeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** The `Set-Cookie` header that removes the session token. */
export function clearedSessionCookie(publicBaseUrl: string): string {
  return sessionCookie(publicBaseUrl, "", 0);
}

/** Whether cookies of this address are kept to encrypted connections. */
export function isSecure(publicBaseUrl: string): boolean {
  return new URL(publicBaseUrl).protocol === "https:";
}
