import { expect, test } from "vitest";
import { addressesOf, type Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { buildBareApp } from "../../support/bare-app.ts";

const table = Object.entries(operations) as [string, Operation][];

/** Every route of the gateway as `METHOD path`, from the router itself. */
async function registeredRoutes(): Promise<string[]> {
  const app = await buildBareApp();
  await app.ready();
  const tree = app.printRoutes({ commonPrefix: false });
  await app.close();
  return routesOf(tree);
}

/** The router prints a tree, four columns to a level, each node with its part of the path. */
function routesOf(tree: string): string[] {
  const parts: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const [, indent = "", part = "", methods = ""] =
      /^([│├└─\s]*)(\S+)(?: \(([^)]+)\))?/.exec(line) ?? [];
    if (part === "") return [];
    parts.splice(indent.length / 4 - 1, parts.length, part);
    const path = parts.join("");
    return methods === "" ? [] : methods.split(", ").map((method) => `${method} ${path}`);
  });
}

const DOCUMENTATION = "/api/docs";

test("the gateway has a route for every operation and, the documentation apart, no others", async () => {
  const routes = await registeredRoutes();
  const ours = routes.filter((route) => !route.includes(DOCUMENTATION));
  const declared = table.flatMap(([, operation]) =>
    addressesOf(operation).flatMap(({ path }) =>
      // Fastify answers HEAD beside every GET.
      operation.method === "GET"
        ? [`GET ${path}`, `HEAD ${path}`]
        : [`${operation.method} ${path}`],
    ),
  );
  expect(ours.filter((route) => !route.startsWith("OPTIONS ")).sort()).toEqual(declared.sort());
});

test("every route forbids to keep its refusals and faults, and all that it does not say otherwise of", async () => {
  const app = await buildBareApp();
  const routes = (await registeredRoutes()).filter((route) => !route.includes(DOCUMENTATION));
  for (const route of [...routes, "GET /", "GET /api/nothing", "POST /api/catalogues/%zz"]) {
    const [method, url = ""] = route.split(" ");
    const answer = await app.inject({ method: method as "GET", url });
    expect([route, answer.headers["cache-control"]]).toEqual([route, "no-store"]);
    expect([route, answer.statusCode >= 400]).toEqual([route, true]);
  }
  await app.close();
});

test("every operation declares its name, address, summary, success, what can be wrong with a file, and the price of a write", () => {
  for (const [key, operation] of table) {
    const { id, path, summary, status, upgrade, body, errors, method, rate } = operation;
    expect(id).toBe(key);
    expect(path, id).toMatch(/^\/(?:api\/|metrics$)/);
    expect(summary, id).toMatch(/\S/);
    expect(status, id).toBeGreaterThanOrEqual(upgrade ? 101 : 200);
    if (body === "file") {
      expect(errors, id).toEqual(expect.arrayContaining(["NO_FILE", "FILE_TOO_LARGE"]));
    }
    if (method !== "GET") expect(["write", "auth", "recovery", "sign-in"], id).toContain(rate);
  }
});
