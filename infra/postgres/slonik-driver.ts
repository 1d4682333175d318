import { Client, type ClientConfig } from "pg";
import {
  ConnectionError,
  createDriverFactory,
  type DriverFactory,
  type DriverQueryResult,
} from "slonik";

/**
 * Makes slonik connect like all other parts of the service, with the same types and settings. A
 * failed connection is reported at its first statement: when none can be opened, slonik's pool
 * forgets waiting callers, but it passes on the errors of statements.
 */
export function slonikDriver(config: ClientConfig): DriverFactory {
  return createDriverFactory(async () => ({
    async createPoolClient({ clientEventEmitter }) {
      const client = new Client(config);
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
          const { command, fields, rowCount, rows } = await client.query({ text, values });
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
