/** This address as the query of the page for signing in, which leads back to it. */
export function hereAsNext(): string {
  const here = location.pathname + location.search;
  return here === "/" ? "" : `?next=${encodeURIComponent(here)}`;
}

/** Where to go after signing in: an address of this console, never another host. */
export function nextAddress(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  if (!next.startsWith("/") || !URL.canParse(next, location.origin)) return "/";
  const { origin, pathname, search: query } = new URL(next, location.origin);
  // "/.//host" has its path begin with two slashes, which by itself names a host.
  return origin === location.origin && !pathname.startsWith("//") ? pathname + query : "/";
}
