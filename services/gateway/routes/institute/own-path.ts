/** Any origin that no address names: a path that leads elsewhere leaves it. */
const HERE = "http://here.invalid";

/** A path of this service with its query; `/` for whatever leads elsewhere. */
export function ownPath(next = "/"): string {
  if (!next.startsWith("/") || !URL.canParse(next, HERE)) return "/";
  const { origin, pathname, search } = new URL(next, HERE);
  // "/.//host" has its path begin with two slashes, which by itself names a host.
  return origin === HERE && !pathname.startsWith("//") ? pathname + search : "/";
}
