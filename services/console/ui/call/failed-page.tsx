import { Link } from "wouter-preact";
import { CallError } from "../../api/call-error.ts";
import { ErrorNotice } from "./error-notice.tsx";

type FailedPageProps = {
  readonly title: string;
  readonly error: unknown;
  readonly retry: () => void;
};

/** Stands where a page of a catalogue could not be read: why, and the way on. */
export function FailedPage({ title, error, retry }: FailedPageProps) {
  const isMissing = error instanceof CallError && error.status === 404;
  return (
    <section class="page">
      <h1>{isMissing ? "There is no such catalogue" : title}</h1>
      {isMissing ? (
        <p>It may have been deleted, or the address is mistyped.</p>
      ) : (
        <ErrorNotice error={error} retry={retry} />
      )}
      <p>
        <Link href="/catalogues">All catalogues</Link>
      </p>
    </section>
  );
}
