import type { AnswerOf } from "../model/operation-types.ts";
import { call } from "./call.ts";
import { CallError } from "./call-error.ts";

export type Report = AnswerOf<"GET /api/ready">;

/** A service that is not ready answers 503 with the same report. */
export async function readReport(signal: AbortSignal): Promise<Report> {
  try {
    return await call("GET /api/ready", {}, { signal });
  } catch (error) {
    if (error instanceof CallError && isReport(error.body)) return error.body;
    throw error;
  }
}

function isReport(body: unknown): body is Report {
  return typeof body === "object" && body !== null && "checks" in body;
}
