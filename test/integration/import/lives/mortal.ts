import type { CommandContext } from "#services/commands/context.ts";

/** The process is gone, whatever it was about to do. */
class Dead extends Error {
  override readonly name = "Dead";
}

const USES_OF_POOL = ["any", "many", "maybeOne", "one", "query", "transaction"] as const;

/**
 * A context whose process dies at its `calls`-th use of the log or the database: that one is done or not,
 * by `isDone`, and none after it.
 * @param worker the presence key of a process that is dead
 */
export function mortal(
  context: CommandContext,
  worker: string,
  { calls, isDone }: { readonly calls: number; readonly isDone: boolean },
): CommandContext {
  let left = calls;

  function dying<T extends object>(target: T, names: readonly (keyof T)[]): T {
    const uses = names.map((name) => {
      const use = target[name] as (...args: unknown[]) => Promise<unknown>;
      const mortalUse = async (...args: unknown[]): Promise<unknown> => {
        left -= 1;
        if (left < 0) throw new Dead("this process is dead");
        if (left > 0) return use.apply(target, args);
        if (isDone) await use.apply(target, args);
        throw new Dead("this process dies");
      };
      return [name, mortalUse] as const;
    });
    return { ...target, ...Object.fromEntries(uses) };
  }

  return {
    ...context,
    worker,
    log: dying(context.log, ["append"]),
    pool: dying(context.pool, USES_OF_POOL),
  };
}
