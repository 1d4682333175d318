import type { EncodedChunk } from "#infra/log/chunks.ts";
import type { Run } from "#services/jobs/run-job.ts";

/**
 * Passes chunks on and reports their changes as progress.
 * @param total of the events that are submitted; null where it is not known
 */
export async function* reportedChunks(
  chunks: AsyncIterable<EncodedChunk>,
  total: number | null,
  { onProgress }: Pick<Run, "onProgress">,
): AsyncGenerator<EncodedChunk> {
  let done = 0;
  for await (const chunk of chunks) {
    yield chunk;
    done += chunk.count;
    onProgress({ done, total: total ?? 0 });
  }
}
