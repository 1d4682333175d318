import {
  ConnectionError,
  createDriverFactory,
  type DriverFactory,
  type DriverQueryResult,
} from "slonik";
import { type ConnectionConfig, PrimaryClient } from "./primary-client.ts";

/** pg's message where `query_timeout` has passed. */
const READ_TIMEOUT = "Query read timeout";

/**
 * Makes slonik connect like all other parts of the service, with the same types and settings. A
 * failed connection is reported at its first statement: when none can be opened, slonik's pool
 * forgets waiting callers, but it passes on the errors of statements.
 */
export function slonikDriver(config: ConnectionConfig): DriverFactory {
  return createDriverFactory(async () => ({
    async createPoolClient({ clientEventEmitter }) {
      const client = new PrimaryClient(config);
      let unreachable: ConnectionError | null = null;
      client.on("error", (error) => clientEventEmitter.emit("error", error));
      return {
        connect: async () => {
          await client.connect().catch((cause: Error) => {
            unreachable = new ConnectionError(cause.message, { cause });
          });
        },
        end: () => client.end(),
        async query(text, values = []) {
          if (unreachable !== null) throw unreachable;
          const answer = await client.query({ text, values }).catch((error: Error) => {
            // pg rejects, but the statement still holds the connection.
            if (error.message !== READ_TIMEOUT) throw error;
            void client.end().catch(() => undefined);
            throw new ConnectionError("timeout exceeded: the statement was not answered", {
              cause: error,
            });
          });
          const { command, fields, rowCount, rows } = answer;
          const named = fields.map(({ name, dataTypeID }) => ({ name, dataTypeId: dataTypeID }));
          return { command, fields: named, rowCount, rows } as DriverQueryResult;
        },
        stream() {
          throw new Error("rows are streamed by COPY");
        },
      };
    },
  }));
}
