import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";

/** Stands where a page fails, until another is opened: the rest of the console goes on. */
export function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  // The browser's console gets it, as without a boundary.
  const [failure, reset] = useErrorBoundary((error) => reportError(error));
  const [path] = useLocation();
  useEffect(() => reset(), [path]);
  if (!failure) return <>{children}</>;
  return (
    <section class="page middle">
      <h1>This page does not work</h1>
      <p role="alert">
        Something on it went wrong in the browser. What the service has stored is as it was.
      </p>
      <ReloadOrLeave />
    </section>
  );
}

/** The two ways out of a page that cannot be shown. */
export function ReloadOrLeave() {
  return (
    <p class="row">
      <button type="button" class="primary" onClick={() => location.reload()}>
        Reload the page
      </button>
      <Link href="/">To the catalogues</Link>
    </p>
  );
}
