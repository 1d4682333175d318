import { expect } from "vitest";
import type { Job } from "#contracts/http/jobs.ts";
import type { ApiClient } from "../api-client.ts";

/** An operation once it has ended. */
export async function endOf(client: ApiClient, id: string): Promise<Job> {
  const read = async () =>
    (await client.get<{ operation: Job }>(`/api/operations/${id}`)).body.operation;
  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).not.toBe("running");
  return read();
}
