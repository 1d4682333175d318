/** The program of test/support/embedded-process.ts: starts, says so in one line, and waits. */
import { startEmbeddedPostgres } from "#infra/postgres/embedded/embedded.ts";
import { silentLogger } from "./logger.ts";

const dataDir = process.argv[2] ?? "";
const keepAlive = setInterval(() => undefined, 60_000);
try {
  const { url } = await startEmbeddedPostgres({ dataDir, log: silentLogger() });
  process.stdout.write(`${JSON.stringify({ url })}\n`);
} catch (error) {
  clearInterval(keepAlive);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  process.stdout.write(`${JSON.stringify({ error: message })}\n`);
}
