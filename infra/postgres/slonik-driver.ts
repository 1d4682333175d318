import { Client, type ClientConfig } from "pg";
import {
  ConnectionError,
  createDriverFactory,
  type DriverFactory,
  type DriverQueryResult,
} from "slonik";

/**
 * Has slonik connect as all other parts of the service do, with the same types and settings. A
 * connection that cannot be had fails at its first statement: where none can be made, slonik's pool
 * forgets those that wait for one, but passes on what a statement throws.
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
