import { builtinEnvironments, type Environment } from "vitest/runtime";
import { endWorker } from "./worker-end.ts";

const { node } = builtinEnvironments;

/** Node's environment; vitest awaits its end before it ends the worker. */
export default {
  ...node,
  name: "worker",
  async setup(global, options) {
    const { teardown } = await node.setup(global, options);
    return {
      async teardown(ended) {
        await endWorker();
        await teardown(ended);
      },
    };
  },
} satisfies Environment;
