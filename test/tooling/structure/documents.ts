import { existsSync, globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

const Package = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
});

const FOLDERS = "{contracts,infra,projections,services,test}";
const PATH =
  /^(?:(?:contracts|infra|projections|services|test)\/[\w./-]+|[\w-][\w./-]*\.(?:ts|md|json|sql)|[\w-]+(?:\/[\w-]+)*\/)$/;
/** Decisions are named by their numbers. */
const DECISION = /^infra\/decisions\/\d{4}$/;
const CITED = /(?:infra\/decisions|contracts\/docs)\/[\w-]+/g;

/** Files that readers are to read whole, and the lines that they may have. */
const MOST_LINES: Readonly<Record<string, number>> = {
  "README.md": 150,
  "infra/README.md": 30,
  "projections/README.md": 30,
  "services/README.md": 50,
  "test/README.md": 30,
};

/** Paths in code spans: names of files, folders with a slash behind them, and what begins at the top. */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`([^`\s]+)`/g)].map(([, span]) => span ?? "");
  return spans.filter((span) => PATH.test(span) && !DECISION.test(span));
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Documents name only files, sections, scripts and pages that exist, and say what they have to in as many lines as they may. */
export async function documentProblems(root: string): Promise<string[]> {
  const read = (path: string) => readFile(join(root, path), "utf8");
  const exists = (path: string) => existsSync(join(root, path));
  const documents = globSync(`{*.md,${FOLDERS}/**/*.md}`, { cwd: root }).sort();
  const { scripts, dependencies } = Package.parse(JSON.parse(await read("package.json")));
  const problems: string[] = [];
  for (const document of documents) {
    const text = await read(document);
    const folder = dirname(document);
    const lacks = (what: string) => problems.push(`${document} names what is not there: ${what}`);
    for (const path of pathsIn(text)) {
      if (!exists(path) && !exists(join(folder, path))) lacks(path);
    }
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path = "", anchor] = target.split("#");
      const linked = path === "" ? document : join(folder, path);
      const isThere =
        exists(linked) && (anchor === undefined || anchorsOf(await read(linked)).includes(anchor));
      if (!isThere) lacks(target);
    }
    for (const [, script = ""] of text.matchAll(/npm run ([\w:-]+)/g)) {
      if (!(script in scripts)) lacks(`npm run ${script}`);
    }
  }
  const pages = globSync("{infra/decisions,contracts/docs}/*.md", { cwd: root });
  for (const path of [...documents, ...globSync(`${FOLDERS}/**/*.{ts,tsx}`, { cwd: root })]) {
    for (const [name] of (await read(path)).matchAll(CITED)) {
      if (!pages.some((page) => page.startsWith(name))) problems.push(`${path} cites ${name}`);
    }
  }
  for (const [path, most] of Object.entries(MOST_LINES)) {
    const lines = (await read(path)).trimEnd().split("\n").length;
    if (lines > most) problems.push(`${path} has ${lines} lines, at most ${most}`);
  }
  const readme = await read("README.md");
  const steps = [...readme.matchAll(/^\| \d \| `([^`]+)` \|/gm)].map(([, file]) => file ?? "");
  if (steps.length < 4 || steps.length > 6 || !steps.every(exists)) {
    problems.push("README.md does not follow a request through four to six files that exist");
  }
  for (const name of Object.keys(dependencies)) {
    if (!readme.includes(`\`${name}\``))
      problems.push(`README.md does not say why ${name} is used`);
  }
  return problems;
}
