import { Fragment } from "preact";
import { type EventValues, GROUPS, labelOf, shownValue } from "../../ui/text/attribute-names.ts";
import { tooltipOf } from "../../ui/text/moment.tsx";
import type { SeismicEvent } from "./read-event.ts";

/** All attributes that are known, exactly as they are stored. */
export function Attributes({ event }: { readonly event: SeismicEvent }) {
  const values: EventValues = event;
  return (
    <div class="attribute-groups">
      {GROUPS.map(({ title, names }) => {
        const known = names.filter((name) => values[name] !== null && values[name] !== undefined);
        if (known.length === 0) return null;
        return (
          <section key={title} class="stack">
            <h2>{title}</h2>
            <dl class="facts">
              {known.map((name) => (
                <Fragment key={name}>
                  <dt>{labelOf(name)}</dt>
                  <dd title={name === "time" ? tooltipOf(event.time) : undefined}>
                    {shownValue(name, values[name])}
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
        );
      })}
    </div>
  );
}
