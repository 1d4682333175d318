import { CallError } from "../../api/call-error.ts";
import { useSecondsLeft } from "./use-seconds-left.ts";

/** The service's own sentence. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof CallError ? `${text}.`.replaceAll(/\.{2,}/g, ".") : text;
}

/** What the service's log calls the request, for whoever asks its administrator. */
export function RequestId({ error }: { readonly error: unknown }) {
  if (!(error instanceof CallError) || error.requestId === null) return null;
  return <small class="request">request {error.requestId}</small>;
}

type ErrorNoticeProps = {
  /** Null for nothing. */
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
};

/** Why something could not be done. */
export function ErrorNotice(props: ErrorNoticeProps) {
  return props.error === null ? null : <Failure {...props} />;
}

/** The seconds count outside of what is read out, which would be every one. */
function Failure({ error, retry }: ErrorNoticeProps) {
  const left = useSecondsLeft(error);
  return (
    <div class="notice error">
      <div class="notice-text">
        <span role="alert">{sentenceOf(error)}</span>
        <RequestId error={error} />
      </div>
      {left > 0 && !retry && <span class="nowrap">Try again in {left} s</span>}
      {retry && (
        <button type="button" class="nowrap" onClick={retry} disabled={left > 0}>
          {left > 0 ? `Try again in ${left} s` : "Try again"}
        </button>
      )}
    </div>
  );
}
