/** This address as the query of the page for signing in, which leads back to it. */
export function hereAsNext(): string {
  const here = location.pathname + location.search;
  return here === "/" ? "" : `?next=${encodeURIComponent(here)}`;
}

/** Where to go after signing in: an address of this console, never another host. */
export function nextAddress(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  const url = new URL(next, location.origin);
  return url.origin === location.origin && /^\/(?![/\\])/.test(next)
    ? url.pathname + url.search
    : "/";
}
