type PreferCellProps = {
  /** "origin 2", for those who hear it. */
  readonly name: string;
  readonly text: string;
  readonly isPreferred: boolean;
  /** Null for those who may not. */
  readonly onPrefer: (() => void) | null;
};

/** Which solution a row has, whether it is the preferred one, or what makes it so. */
export function PreferCell({ name, text, isPreferred, onPrefer }: PreferCellProps) {
  return (
    <th scope="row">
      {text}{" "}
      {isPreferred ? (
        <span class="badge good">preferred</span>
      ) : (
        onPrefer && (
          <button type="button" class="plain link" aria-label={`Prefer ${name}`} onClick={onPrefer}>
            prefer
          </button>
        )
      )}
    </th>
  );
}
