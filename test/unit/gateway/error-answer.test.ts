import { expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { TaskStuck } from "#infra/threads/worker-threads.ts";
import { ImportFailed } from "#services/commands/import/import-failure.ts";
import { errorAnswer, isNoFault } from "#services/gateway/http/error-answer.ts";
import { ServiceStopping } from "#services/jobs/running-works.ts";

test("a request whose work was ended for want of progress is told so", () => {
  expect(errorAnswer(new TaskStuck("streamMerged", 300, new Error("worker exited")))).toEqual({
    status: 500,
    body: {
      error: "The work on the request made no progress and was ended",
      code: "INTERNAL_ERROR",
    },
  });
});

test("a revision that was taken from its run is the service's fault, of imports too", () => {
  const givenUp = new Refusal("UNAVAILABLE", "Revision 1 is not open any more; try again");
  const unavailable = { status: 503, body: { code: "UNAVAILABLE" } };
  expect(errorAnswer(givenUp)).toMatchObject(unavailable);
  expect(errorAnswer(new ImportFailed("c", givenUp))).toMatchObject(unavailable);
});

test("work that a stop cuts off can be started again, and is no fault, of imports too", () => {
  for (const stopped of [new ServiceStopping(), new ImportFailed("c", new ServiceStopping())]) {
    expect(errorAnswer(stopped)).toMatchObject({
      status: 503,
      body: {
        error: "The service stopped before the work was done; start it again",
        code: "UNAVAILABLE",
      },
    });
    expect(isNoFault(stopped)).toBe(true);
  }
});

test("a body that its client broke off is the client's, though its code is a database's, too", () => {
  const aborted = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  expect(errorAnswer(aborted)).toMatchObject({ status: 500, body: { code: "DATABASE_ERROR" } });
  expect(errorAnswer(Object.assign(aborted, { statusCode: 400 }))).toEqual({
    status: 400,
    body: { error: "aborted", code: "VALIDATION_ERROR" },
  });
});
