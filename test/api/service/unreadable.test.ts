import { expect, test } from "vitest";
import { useService } from "../../support/service.ts";
import { rawGet } from "../support/raw-request.ts";

const service = useService();

test("answers headers beyond what is read with 431 in the general shape", async () => {
  const answer = await rawGet(service.url, "/api/catalogues", { "x-long": "x".repeat(100_000) });
  expect(answer.status).toBe(431);
  expect(JSON.parse(answer.text)).toMatchObject({ code: "VALIDATION_ERROR" });
});
