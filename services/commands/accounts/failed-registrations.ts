/** Users whose registration failed in this process; their addresses may be taken over at once. */
export type FailedRegistrations = {
  readonly has: (userId: string) => boolean;
  readonly add: (userId: string) => void;
};

/** @param max users; beyond them the one added first is evicted */
export function createFailedRegistrations(max: number): FailedRegistrations {
  const users = new Set<string>();
  return {
    has: (userId) => users.has(userId),
    add(userId) {
      users.add(userId);
      const [oldest = userId] = users;
      if (users.size > max) users.delete(oldest);
    },
  };
}
