import { getPriority } from "node:os";

/** The priority of the thread that asks. */
export const ownPriority = (): number => getPriority();
