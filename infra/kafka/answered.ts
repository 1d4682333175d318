/** The client has come back neither with an answer nor with an error: its own timers failed. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** Waits for a request at most `timeoutMs`. @throws NoAnswer */
export async function answered(request: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`none in ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([request, late]);
  } finally {
    clearTimeout(timer);
    // Whatever becomes of one that was given up concerns nobody any more.
    request.catch(() => undefined);
  }
}
