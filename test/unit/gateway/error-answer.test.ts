import { expect, test } from "vitest";
import { errorAnswer } from "#services/gateway/error-answer.ts";
import { TaskStuck } from "#services/worker-threads.ts";

test("a request whose work was ended for want of progress is told so", () => {
  expect(errorAnswer(new TaskStuck("streamMerged", 300, new Error("worker exited")))).toEqual({
    status: 500,
    body: {
      error: "The work on the request made no progress and was ended",
      code: "INTERNAL_ERROR",
    },
  });
});
