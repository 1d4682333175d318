import type { OperationName } from "../model/operation-types.ts";
import { addressOf, type Sent, settle } from "./call.ts";

export type SentBytes = { readonly sent: number; readonly total: number };

type FormOptions = {
  readonly signal: AbortSignal;
  /** Told while the form is sent, and at its end, when the service begins to work on it. */
  readonly onProgress: (bytes: SentBytes) => void;
};

const WITHOUT_BODY = [204, 205, 304];

/**
 * As `send`, of a form with files, telling how much of it has been sent: `fetch` cannot.
 * @throws CallError; the signal's reason
 */
export function sendForm(
  operation: OperationName,
  input: Pick<Sent, "params" | "query">,
  form: FormData,
  { signal, onProgress }: FormOptions,
): Promise<Response> {
  const request = new XMLHttpRequest();
  const [method = "POST"] = operation.split(" ");
  const answer = new Promise<Response>((resolve, reject) => {
    signal.throwIfAborted();
    request.open(method, addressOf(operation, input));
    request.setRequestHeader("accept", "application/json");
    request.responseType = "arraybuffer";
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total });
    request.upload.onload = ({ total }) => onProgress({ sent: total, total });
    request.onload = () => resolve(responseOf(request));
    request.onerror = () => reject(new TypeError("The connection failed"));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
  return settle(operation, answer, signal);
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const { status, response } = request;
  return new Response(WITHOUT_BODY.includes(status) ? null : response, { status, headers });
}
