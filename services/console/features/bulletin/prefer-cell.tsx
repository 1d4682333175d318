import type { NamedSolution } from "./delete-solution.tsx";

/** The ids of solutions that shall be the preferred ones. */
export type PreferredIds = {
  readonly originID?: string;
  readonly magnitudeID?: string;
  readonly focalMechanismID?: string;
};

/** What editors do with solutions; null for others. */
export type SolutionActions = {
  readonly prefer: (ids: PreferredIds) => void;
  readonly remove: (solution: NamedSolution) => void;
} | null;

type PreferCellProps = {
  readonly text: string;
  readonly solution: NamedSolution;
  readonly actions: SolutionActions;
};

/** Which solution a row has, whether it is the preferred one, and what can be done with it. */
export function PreferCell({ text, solution, actions }: PreferCellProps) {
  const { name, kind, publicID, isPreferred } = solution;
  return (
    <th scope="row" class="nowrap">
      {text}{" "}
      {isPreferred ? (
        <span class="badge good">preferred</span>
      ) : (
        actions && (
          <button
            type="button"
            class="plain link"
            aria-label={`Prefer ${name}`}
            onClick={() => actions.prefer({ [`${kind}ID`]: publicID })}
          >
            prefer
          </button>
        )
      )}{" "}
      {actions && (
        <button
          type="button"
          class="plain link"
          aria-label={`Delete ${name}`}
          onClick={() => actions.remove(solution)}
        >
          delete…
        </button>
      )}
    </th>
  );
}
