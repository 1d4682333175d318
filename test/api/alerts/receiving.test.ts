import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, expect, test, vi } from "vitest";
import { alertOfCatalogue, recentEvent } from "../../support/api/alerts.ts";
import { useService } from "../../support/service.ts";

const service = useService({ ALERTS_ALLOW_PRIVATE: "true", RATE_LIMIT_READ: "0" });
const DOCUMENT = readFileSync("contracts/docs/alerts.md", "utf8");
const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.kill();
    await once(one, "close");
  }
});

function program(language: string): string {
  const [, text = ""] = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(DOCUMENT) ?? [];
  expect(text.trim().split("\n").length).toBeLessThanOrEqual(11);
  return text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test.for([
  ["python", "python3", ["-c"]],
  ["js", process.execPath, ["--input-type=module", "-e"]],
] as const)(
  "the receiver of the document in %s takes what is signed, and nothing else",
  async ([language, command, args]) => {
    const port = await freePort();
    const child = spawn(command, [...args, program(language)], {
      env: { ...process.env, PORT: String(port), SECRET },
      stdio: ["ignore", "pipe", "ignore"],
    });
    running.push(child);
    const lines: string[] = [];
    createInterface(child.stdout).on("line", (line) => lines.push(line));
    const url = `http://127.0.0.1:${port}/`;
    const forged = () =>
      fetch(url, {
        method: "POST",
        headers: { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,forged" },
        body: '{"type":"forged"}',
      });
    await vi.waitFor(async () => expect((await forged()).status).toBe(401), { timeout: 20_000 });
    const to = { kind: "webhook", url, secret: SECRET };
    const { add, deliveries } = await alertOfCatalogue(service.client("editor"), url, { to });
    await add(recentEvent());
    await expect.poll(() => deliveries()).toMatchObject([{ status: "delivered", response: 204 }]);
    await expect.poll(() => lines).toEqual(["earthquake.new"]);
  },
);
