type Makers = Readonly<Record<string, (needs: never) => unknown>>;

type NeedsOf<M extends Makers> = {
  [Id in keyof M]: (needs: Parameters<M[Id]>[0]) => void;
}[keyof M] extends (needs: infer Needs) => void
  ? Needs
  : never;

type Made<M extends Makers> = { readonly [Id in keyof M]: ReturnType<M[Id]> };

/** Makes the handlers of a room from what these need together. */
export function room<M extends Makers>(makers: M): (needs: NeedsOf<M>) => Made<M> {
  return (needs) => {
    const made = Object.entries(makers).map(([id, make]) => [id, make(needs as never)]);
    return Object.fromEntries(made) as Made<M>;
  };
}
