import { openHttpConnection } from "./http-connection.ts";

/** Posts forms over so many connections, which are kept. */
export type Posting = {
  /** The status of the answer. */
  readonly post: (path: string, form: object) => Promise<number>;
  readonly close: () => void;
};

export function openPosting(url: string, connections: number): Posting {
  const all = Array.from({ length: connections }, () => openHttpConnection(url));
  const free = [...all];
  return {
    async post(path, form) {
      const connection = free.pop();
      if (connection === undefined) throw new Error("more forms at once than connections");
      const headers = { "content-type": "application/json" };
      const { status } = await connection.ask("POST", path, headers, JSON.stringify(form));
      free.push(connection);
      return status;
    },
    close() {
      for (const { close } of all) close();
    },
  };
}
