import type { Actor } from "../handler.ts";

/** Who called last, by session: what a request is begun with while its session is read. */
export type LastSeen = {
  readonly of: (sessionId: string) => Actor | null;
  /** Null forgets the session. */
  readonly put: (sessionId: string, actor: Actor | null) => void;
};

/** @param max sessions; beyond them the one that was put longest ago is forgotten */
export function createLastSeen(max: number): LastSeen {
  const actors = new Map<string, Actor>();
  return {
    of: (sessionId) => actors.get(sessionId) ?? null,
    put(sessionId, actor) {
      actors.delete(sessionId);
      if (actor === null) return;
      actors.set(sessionId, actor);
      if (actors.size <= max) return;
      for (const oldest of actors.keys()) {
        actors.delete(oldest);
        return;
      }
    },
  };
}
