/** The program of test/support/eventstore/event-store-process.ts: starts, and says where in one line. */
import { startStoredServer } from "./eventstore/stored-server.ts";

const [port = "0", directory] = process.argv.slice(2);
const server = await startStoredServer(Number(port), directory ?? null);
process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port })}\n`);
