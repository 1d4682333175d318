import { useEffect, useRef } from "preact/hooks";
import { significant } from "#contracts/plots/numbers.ts";
import type { Plane, Tensor } from "#contracts/seismic-event/double-couple.ts";
import { ballPixels, type Mechanism } from "../../plots/beach-ball.ts";
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

type MechanismsProps = { readonly mechanisms: readonly FocalMechanism[] };

/** The focal mechanisms side by side, the preferred one first. */
export function Mechanisms({ mechanisms }: MechanismsProps) {
  return (
    <section id="mechanism" class={mechanisms.length === 1 ? "stack" : "stack whole"}>
      <h2>{mechanisms.length === 1 ? "Mechanism" : "Mechanisms"}</h2>
      <div class={mechanisms.length === 1 ? undefined : "mechanisms"}>
        {mechanisms.map((focal, i) => (
          <MechanismPart key={i} focal={focal} isPreferred={mechanisms.length > 1 && i === 0} />
        ))}
      </div>
    </section>
  );
}

type MechanismPartProps = { readonly focal: FocalMechanism; readonly isPreferred: boolean };

/** A focal mechanism: whose it is, its ball, its planes and axes, its tensor. */
function MechanismPart({ focal, isPreferred }: MechanismPartProps) {
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
        {planes.length > 0 && <PlanesTable planes={planes} />}
        {axes.length > 0 && <AxesTable axes={axes} />}
        {tensor && <TensorPart tensor={tensor} focal={focal} />}
      </div>
    </div>
  );
}

function PlanesTable({ planes }: { readonly planes: ReturnType<typeof planesOf> }) {
  return (
    <Table
      kind="compact"
      columns={[
        "Nodal plane",
        { number: "Strike, °" },
        { number: "Dip, °" },
        { number: "Rake, °" },
      ]}
    >
      {planes.map(({ strike, dip, rake, isComputed }, i) => (
        <tr key={`${strike} ${dip}`}>
          <th scope="row">
            {i + 1} {isComputed && <Computed />}
          </th>
          <td class="number">{decimal(strike, 0)}</td>
          <td class="number">{decimal(dip, 0)}</td>
          <td class="number">{decimal(rake, 0)}</td>
        </tr>
      ))}
    </Table>
  );
}

function AxesTable({ axes }: { readonly axes: ReturnType<typeof axesOf> }) {
  return (
    <Table kind="compact" columns={["Axis", { number: "Azimuth, °" }, { number: "Plunge, °" }]}>
      {axes.map(({ name, azimuth, plunge, isComputed }) => (
        <tr key={name}>
          <th scope="row">
            {name} {isComputed && <Computed />}
          </th>
          <td class="number">{decimal(azimuth, 0)}</td>
          <td class="number">{decimal(plunge, 0)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Of a value that the file leaves out. */
function Computed() {
  return <span class="muted">computed</span>;
}

function TensorPart({
  tensor,
  focal,
}: {
  readonly tensor: Tensor;
  readonly focal: FocalMechanism;
}) {
  const { scalarMoment } = focal.momentTensor ?? {};
  return (
    <dl class="facts">
      <dt>Scalar moment</dt>
      <dd>{scalarMoment === undefined ? UNKNOWN : `${significant(scalarMoment, 3)} N·m`}</dd>
      <dt>Tensor, N·m</dt>
      <dd class="row">
        {Object.entries(tensor).map(([name, value]) => (
          <span key={name} class="nowrap">
            {name} {significant(value, 3)}
          </span>
        ))}
      </dd>
    </dl>
  );
}

type BallProps = { readonly mechanism: Mechanism; readonly planes: readonly Plane[] };

function Ball({ mechanism, planes }: BallProps) {
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
