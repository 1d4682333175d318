import { type ComponentChildren, Fragment } from "preact";

export type Fact = {
  readonly name: string;
  readonly text: ComponentChildren;
  /** On hovering. */
  readonly title?: string | undefined;
};

type FactsProps = { readonly facts: readonly Fact[]; readonly class?: string };

/** Names and what is told of them. */
export function Facts({ facts, class: further = "" }: FactsProps) {
  return (
    <dl class={`facts ${further}`}>
      {facts.map(({ name, text, title }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd title={title}>{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
