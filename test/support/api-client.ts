/** A thin client of the HTTP interface for tests, the demonstration and the benchmark. */
export type ApiAnswer<T = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
};

export type ApiClient = {
  readonly get: <T = unknown>(
    path: string,
    headers?: Record<string, string>,
  ) => Promise<ApiAnswer<T>>;
  readonly head: (path: string) => Promise<ApiAnswer>;
  /** The answer as it comes in, for large ones. */
  readonly stream: (path: string, headers?: Record<string, string>) => Promise<Response>;
  /** `body` is sent as JSON; a text, bytes and a form are sent as they are. */
  readonly send: <T = unknown>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiAnswer<T>>;
};

export function createApiClient(url: string, token?: string): ApiClient {
  async function call<T>(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | Uint8Array<ArrayBuffer> | FormData,
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined &&
          !(body instanceof FormData) && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson && text !== "" ? JSON.parse(text) : text) as T,
    };
  }
  return {
    get: (path, headers) => call("GET", path, headers),
    head: (path) => call("HEAD", path),
    stream: (path, headers = {}) =>
      fetch(new URL(path, url), {
        headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      }),
    send: (method, path, body, headers) => call(method, path, headers, asBody(body)),
  };
}

function asBody(body: unknown): string | Uint8Array<ArrayBuffer> | FormData | undefined {
  if (body === undefined || typeof body === "string" || body instanceof FormData) return body;
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body);
}

type Credentials = { readonly email: string; readonly password: string };

export async function sessionToken(url: string, credentials: Credentials): Promise<string> {
  const path = "/api/auth/login";
  const answer = await createApiClient(url).send<{ token: string }>("POST", path, credentials);
  if (answer.status !== 200) throw new Error(`signing in answered ${answer.status}`);
  return answer.body.token;
}

/** Signs in and gives a client that sends the session's token. */
export async function signIn(url: string, credentials: Credentials): Promise<ApiClient> {
  return createApiClient(url, await sessionToken(url, credentials));
}
