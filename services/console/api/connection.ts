import { signal } from "@preact/signals";

/** Whether the last call reached the service. */
export const isReachable = signal(true);

/** Whether the service has asked for a session since the last sign-in: if there was one, it has ended. */
export const sessionEnded = signal(false);
