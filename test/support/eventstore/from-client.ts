import { createRequire } from "node:module";

/**
 * What the client builds on, as the client finds it: the server has to use the very same modules,
 * since the service definitions do. They are no dependencies of the service itself.
 */
const fromClient = createRequire(createRequire(import.meta.url).resolve("@eventstore/db-client"));

export const grpc: typeof import("@grpc/grpc-js") = fromClient("@grpc/grpc-js");
