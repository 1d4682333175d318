import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";

const run = promisify(execFile);
const COPIED = ["contracts", "infra", "projections", "services", "package.json", "tsconfig.json"];

/** Records of `contracts/events`, to which a type of event is added. */
const RECORDS = { "catalogues.ts": "catalogueEvents", "accounts.ts": "userEvents" };

/** What then does not compile, among others: read models, the feed, the notices, the decisions. */
const FORGETFUL = [
  ...["contracts/events/notices.ts", "projections/catalogues/projection.ts"],
  "projections/catalogues/projection.ts",
  ...["projections/users/projection.ts"],
  ...["services/domain/accounts/account.ts", "services/domain/catalogues/catalogue.ts"],
  "services/audit/sentences.ts",
  "services/publisher/analytics.ts",
];

/** An event that a read model, the feed, the notices or a decision forgets does not compile. */
export async function forgottenEventProblems(root: string): Promise<string[]> {
  const { path: directory, remove } = await createTemporaryDirectory();
  // The console knows no events of the log.
  const filter = (path: string) => path !== join(root, "services/console");
  try {
    for (const name of COPIED) {
      await cp(join(root, name), join(directory, name), { recursive: true, filter });
    }
    await symlink(join(root, "node_modules"), join(directory, "node_modules"));
    for (const [file, record] of Object.entries(RECORDS)) {
      const path = join(directory, "contracts/events", file);
      const text = await readFile(path, "utf8");
      const opening = `export const ${record} = {\n`;
      if (!text.includes(opening)) return [`there is no ${record} in ${file}`];
      const added = "  ForgottenEvent: z.object({ forgotten: z.string() }),\n";
      await writeFile(path, text.replace(opening, opening + added));
    }
    const settings = { extends: "./tsconfig.json", include: [], files: FORGETFUL };
    await writeFile(join(directory, "tsconfig.few.json"), JSON.stringify(settings));
    const tsc = join(root, "node_modules/.bin/tsc");
    const args = ["--noEmit", "--pretty", "false", "--project", "tsconfig.few.json"];
    const { stdout } = await run(tsc, args, { cwd: directory }).catch(
      (failure: { stdout: string }) => failure,
    );
    const inError = new Set(stdout.match(/^[^\s(]+\.ts(?=\()/gm));
    return FORGETFUL.filter((path) => !inError.has(path)).map(
      (path) => `${path} compiles though it forgets an event`,
    );
  } finally {
    await remove();
  }
}
