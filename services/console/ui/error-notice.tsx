import { CallError } from "../api/call-error.ts";

/** The service's own sentence, with what its log calls the request. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof CallError)) return error instanceof Error ? error.message : String(error);
  const wait = error.retryAfter === null ? "" : ` Try again in ${error.retryAfter} s.`;
  const request = error.status >= 500 && error.requestId ? ` (request ${error.requestId})` : "";
  return `${error.message}.${wait}${request}`.replaceAll(/\.{2,}/g, ".");
}

type ErrorNoticeProps = { readonly error: unknown; readonly retry?: () => void };

export function ErrorNotice({ error, retry }: ErrorNoticeProps) {
  return (
    <div class="notice error" role="alert">
      <span>{sentenceOf(error)}</span>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
