import { beforeAll, describe, expect, test } from "vitest";
import type { Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { MATRIX } from "./matrix/matrix.ts";
import type { Subjects } from "./matrix/row.ts";
import { call, newSubjects } from "./subjects.ts";

const service = sharedService();
let subjects: Subjects;
let admin: ApiClient;

beforeAll(async () => {
  admin = await service.loginAs("admin");
  subjects = await newSubjects(service);
});

/** Probes are answered whatever their clients add to the address. */
const isProbe = ({ rate }: Operation): boolean => rate === "none";
/** Set up already, and without an institute, whose answers may have any parameter. */
const NOTHING_THERE = new Set<string>([
  "loadSetupSample",
  "createFirstAdministrator",
  "beginOpenId",
  "finishOpenId",
  "joinOpenId",
]);

describe("a parameter that no operation knows", () => {
  const all: readonly Operation[] = Object.values(operations);
  const asked = all.filter(({ id }) => !NOTHING_THERE.has(id));

  test.each(asked.map((operation) => [operation.id, operation] as const))(
    "is refused by name at %s, but by probes",
    async (id, operation) => {
      const [method, path, body] = MATRIX[id as keyof typeof MATRIX].request(subjects);
      const address = `${path}${path.includes("?") ? "&" : "?"}nosuchparameter=1`;
      const { status, body: answer } = await call(admin, [method, address, body]);
      if (isProbe(operation)) expect([200, 503]).toContain(status);
      else if (operation.upgrade) expect(status).toBe(400);
      else {
        expect(status).toBe(400);
        expect(JSON.stringify(answer)).toContain("nosuchparameter");
      }
    },
  );
});
