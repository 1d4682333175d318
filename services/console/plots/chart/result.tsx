import { Fragment } from "preact";
import { sentence } from "../../ui/text/format.ts";

export type Fact = { readonly name: string; readonly text: string };

type ResultProps = {
  readonly facts: readonly Fact[];
  /** Why there are no facts. */
  readonly nothing: string | null;
  readonly warnings: readonly string[];
  /** Of what, by which method, with which parameters. */
  readonly how: readonly Fact[];
};

/** Numbers, what to beware of, and how they were made. */
export function Result({ facts, nothing, warnings, how }: ResultProps) {
  return (
    <aside class="panel found" aria-label="Result">
      {nothing !== null && <p class="notice warning">{sentence(nothing)}</p>}
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(({ name, text }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <strong>{text}</strong>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {warnings.map((message) => (
        <p key={message} class="notice warning">
          {sentence(message)}
        </p>
      ))}
      <dl class="facts small">
        {how.map(({ name, text }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
    </aside>
  );
}
