import { Socket, type SocketConnectOpts } from "node:net";

/** pg and slonik recognise a lost connection by the message's first two words. */
export class DatabaseSilent extends Error {
  override readonly name = "DatabaseSilent";

  constructor() {
    super("Connection terminated: the database does not answer");
  }
}

export class WatchedSocket extends Socket {
  readonly #isRefused: () => boolean;

  constructor(isRefused: () => boolean) {
    super();
    this.#isRefused = isRefused;
  }

  /** Whether the server has said anything on it. */
  get isAccepted(): boolean {
    return this.bytesRead > 0;
  }

  override connect(...args: unknown[]): this {
    if (!this.#isRefused()) return super.connect(...(args as [SocketConnectOpts]));
    setImmediate(() => this.destroy(new DatabaseSilent()));
    return this;
  }
}
