import { Fragment } from "preact";
import {
  type EventValues,
  type FieldName,
  labelOf,
  ROWS,
  shownValue,
  toldMargin,
  toldValue,
} from "../../ui/text/attribute-names.ts";
import { tooltipOf } from "../../ui/text/moment.tsx";
import type { SeismicEvent } from "./read-event.ts";

/** All attributes that are known, each with its uncertainty; what is stored stands at it on hovering. */
export function Attributes({ event }: { readonly event: SeismicEvent }) {
  const values: EventValues = event;
  return (
    <div class="attribute-groups">
      {ROWS.map(({ title, rows }) => {
        const known = rows.filter(({ name }) => (values[name] ?? null) !== null);
        if (known.length === 0) return null;
        return (
          <section key={title} class="stack">
            <h2>{title}</h2>
            <dl class="facts">
              {known.map(({ name }) => (
                <Fragment key={name}>
                  <dt>{labelOf(name)}</dt>
                  <dd title={titleOf(name, event)}>
                    {toldValue(name, values)}{" "}
                    <span class="muted nowrap">{toldMargin(name, values)}</span>
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

/** A value as it is stored, where that is not what is told; a time by the local clock too. */
function titleOf(name: FieldName, event: SeismicEvent): string | undefined {
  if (name === "time") return tooltipOf(event.time);
  const values: EventValues = event;
  const stored = shownValue(name, values[name]);
  return stored === toldValue(name, values) ? undefined : stored;
}
