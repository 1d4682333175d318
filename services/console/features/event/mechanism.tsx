import { useEffect, useRef } from "preact/hooks";
import { significant } from "#contracts/plots/numbers.ts";
import type { Plane, Tensor } from "#contracts/seismic-event/double-couple.ts";
import { ballPixels, type Mechanism } from "../../plots/beach-ball.ts";
import { Facts, Panel } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { decimal, UNKNOWN } from "../../ui/text/format.ts";
import {
  axesOf,
  type FocalMechanism,
  mechanismOf,
  planesOf,
  sourceOf,
  tensorOf,
} from "./mechanism-values.ts";

const SIDE = 144;

/** The focal mechanisms side by side, the preferred one first. */
export function Mechanisms(props: { readonly mechanisms: readonly FocalMechanism[] }) {
  const { mechanisms } = props;
  const isOne = mechanisms.length === 1;
  return (
    <Panel
      id="mechanism"
      class={isOne ? "stack" : "stack whole"}
      title={isOne ? "Mechanism" : "Mechanisms"}
    >
      <div class={isOne ? undefined : "mechanisms"}>
        {mechanisms.map((focal, i) => (
          <MechanismPart key={i} focal={focal} isPreferred={!isOne && i === 0} />
        ))}
      </div>
    </Panel>
  );
}

/** A focal mechanism: whose it is, its ball, its planes and axes, its tensor. */
function MechanismPart(props: { readonly focal: FocalMechanism; readonly isPreferred: boolean }) {
  const { focal, isPreferred } = props;
  const source = sourceOf(focal);
  const mechanism = mechanismOf(focal);
  const planes = planesOf(focal);
  const axes = axesOf(focal);
  const tensor = tensorOf(focal);
  return (
    <div class="mechanism">
      {(source !== "" || isPreferred) && (
        <h3>
          {source !== "" && `Source: ${source}`}{" "}
          {isPreferred && <span class="badge good">preferred</span>}
        </h3>
      )}
      {mechanism && <Ball mechanism={mechanism} planes={planes} />}
      <div class="stack">
        {planes.length > 0 && (
          <ComputedTable
            head="Nodal plane"
            rows={planes}
            nameOf={(_, i) => String(i + 1)}
            degrees={{
              "Strike, °": ({ strike }) => strike,
              "Dip, °": ({ dip }) => dip,
              "Rake, °": ({ rake }) => rake,
            }}
          />
        )}
        {axes.length > 0 && (
          <ComputedTable
            head="Axis"
            rows={axes}
            nameOf={({ name }) => name}
            degrees={{
              "Azimuth, °": ({ azimuth }) => azimuth,
              "Plunge, °": ({ plunge }) => plunge,
            }}
          />
        )}
        {tensor && <TensorPart tensor={tensor} focal={focal} />}
      </div>
    </div>
  );
}

type ComputedTableProps<R> = {
  readonly head: string;
  readonly rows: readonly R[];
  readonly nameOf: (row: R, index: number) => string;
  readonly degrees: Readonly<Record<string, (row: R) => number>>;
};

/** Directions, of which some were computed because the file leaves them out. */
function ComputedTable<R extends { readonly isComputed: boolean }>(props: ComputedTableProps<R>) {
  const { head, rows, nameOf, degrees } = props;
  return (
    <Table
      kind="compact"
      columns={[
        {
          ...{ head, isRowHead: true },
          cell: (row: R, i) => (
            <>
              {nameOf(row, i)} {row.isComputed && <span class="muted">computed</span>}
            </>
          ),
        },
        ...Object.entries(degrees).map(([name, degreesOf]) => {
          return { head: name, class: "number", cell: (row: R) => decimal(degreesOf(row), 0) };
        }),
      ]}
      rows={rows}
    />
  );
}

function TensorPart(props: { readonly tensor: Tensor; readonly focal: FocalMechanism }) {
  const { tensor, focal } = props;
  const { scalarMoment } = focal.momentTensor ?? {};
  const parts = Object.entries(tensor).map(([name, value]) => (
    <span key={name} class="nowrap">
      {name} {significant(value, 3)}
    </span>
  ));
  return (
    <Facts
      facts={[
        {
          name: "Scalar moment",
          text: scalarMoment === undefined ? UNKNOWN : `${significant(scalarMoment, 3)} N·m`,
        },
        { name: "Tensor, N·m", text: <span class="row">{parts}</span> },
      ]}
    />
  );
}

function Ball(props: { readonly mechanism: Mechanism; readonly planes: readonly Plane[] }) {
  const { mechanism, planes } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    const picture = new ImageData(ballPixels(mechanism, 2 * SIDE), 2 * SIDE);
    context?.putImageData(picture, 0, 0);
  }, [JSON.stringify(mechanism)]);
  const [first] = planes;
  const planeText = first
    ? `: strike ${decimal(first.strike, 0)}°, dip ${decimal(first.dip, 0)}°, rake ${decimal(first.rake, 0)}°`
    : "";
  return (
    <canvas
      ref={canvas}
      class="beach-ball"
      width={2 * SIDE}
      height={2 * SIDE}
      role="img"
      aria-label={`Beach ball, lower hemisphere${planeText}`}
    />
  );
}
