import { expect, test } from "vitest";
import { createdFrom, generatedRecords } from "../catalogues/catalogue-scene.ts";
import { useCatalogues } from "../catalogues/use-catalogues.ts";
import { cli } from "./use-cli.ts";

const catalogues = useCatalogues("eventstoredb");

const run = (...args: string[]) =>
  cli({ DATABASE_URL: catalogues.databaseUrl, ...catalogues.logVariables }, ...args);

test("commands work on a log in EventStoreDB: it is printed, compared and rebuilt from", async () => {
  const id = await createdFrom(catalogues.context, generatedRecords(1, 500));
  const { lines } = await run("log", "--catalogue", id);
  expect(lines.map((line) => JSON.parse(line).type)).toEqual([
    "CatalogueCreated",
    "RevisionOpened",
    "SeismicEventsRecorded",
    "RevisionCommitted",
  ]);
  expect(await run("rebuild", "catalogues")).toMatchObject({ exitCode: 0 });
  expect(await run("verify", "catalogues")).toMatchObject({ exitCode: 0 });
});

test("commands do not take the database for the log of a service that has it elsewhere", async () => {
  await createdFrom(catalogues.context, generatedRecords(2, 5));
  await expect(cli({ DATABASE_URL: catalogues.databaseUrl }, "verify")).rejects.toThrow(
    "the read models come from an event store",
  );
});
