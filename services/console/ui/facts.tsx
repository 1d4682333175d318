import { type ComponentChildren, Fragment } from "preact";

export type Fact = {
  readonly name: ComponentChildren;
  readonly text: ComponentChildren;
  /** On hovering. */
  readonly title?: string | undefined;
};

type ShortFact = readonly [name: ComponentChildren, text: ComponentChildren];
type FactsProps = {
  /** False ones are left out. */
  readonly facts: readonly (Fact | ShortFact | false)[];
  readonly class?: string;
};

/** Names and what is told of them. */
export function Facts({ facts, class: further = "" }: FactsProps) {
  const shown = facts.filter((fact) => fact !== false);
  return (
    <dl class={`facts ${further}`}>
      {shown.map((fact, i) => {
        const { name, text, title } =
          "name" in fact ? fact : { name: fact[0], text: fact[1], title: undefined };
        return (
          <Fragment key={i}>
            <dt>{name}</dt>
            <dd title={title}>{text}</dd>
          </Fragment>
        );
      })}
    </dl>
  );
}
