/** The client returned neither an answer nor an error: its own timers failed. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** Waits at most `timeoutMs` for a request. @throws NoAnswer */
export async function answered(request: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`none in ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([request, late]);
  } finally {
    clearTimeout(timer);
    // The later outcome of an abandoned request is ignored.
    request.catch(() => undefined);
  }
}
