import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import type { Column } from "../columns/column.ts";
import { AXES, AXES_ERRORS, PLANE, TENSOR, TENSOR_ERRORS } from "../columns/mechanism-columns.ts";
import { MECHANISM_HEADERS } from "../shared/blocks.ts";
import { type Draft, type LineObjects, valueAt } from "../shared/drafts.ts";
import { NO_OTHER_AUTHOR, withAuthor, withoutAuthor } from "./authors.ts";
import { countLeft, countLeftIn, heldBy } from "./leaves.ts";
import { type Losses, lose } from "./losses.ts";
import { hasCells, writeColumns } from "./write-columns.ts";
import type { Mechanism, Origin, WritingEvent } from "./writing-event.ts";

type Tensor = QuakemlObject<"MomentTensor">;

const MAX_SCALE = 99;

const isWave = (value: unknown) => value === "body waves" || value === "surface waves";

const MECHANISM_HELD = heldBy([...PLANE, ...AXES, ...AXES_ERRORS], "mechanism", {
  ...NO_OTHER_AUTHOR,
  publicID: true,
  triggeringOriginID: true,
});
const TENSOR_HELD = heldBy([...TENSOR, ...TENSOR_ERRORS], "tensor", {
  publicID: true,
  derivedOriginID: true,
  "sourceTimeFunction.type": (value) => value === "unknown",
});
const AXES_HELD = heldBy([...AXES, ...AXES_ERRORS], "axes");
const PLANE_HELD = heldBy(PLANE, "plane");
const DATA_HELD = heldBy(
  [...TENSOR, ...TENSOR_ERRORS].map((column) => ({ ...column, object: "data" })),
  "data",
  { waveType: isWave },
);

/** The mechanisms by the origin below which they are written. */
export function mechanismsOf({ bulletin, origins, preferred, losses }: WritingEvent) {
  const byOrigin = new Map<Origin, Mechanism[]>();
  for (const mechanism of bulletin.focalMechanism ?? []) {
    const id = mechanism.momentTensor?.[0]?.derivedOriginID ?? mechanism.triggeringOriginID;
    const named = origins.find(({ publicID }) => publicID === id);
    if (named === undefined && id !== undefined) lose(losses.values, "focalMechanism");
    const origin = named ?? preferred;
    if (origin === undefined) lose(losses.objects, "focalMechanism");
    else byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), mechanism]);
  }
  return byOrigin;
}

export function writeMechanisms(mechanisms: readonly Mechanism[], losses: Losses): string {
  return mechanisms.map((mechanism) => writeMechanism(mechanism, losses)).join("");
}

function writeMechanism(mechanism: Mechanism, losses: Losses): string {
  const { momentTensor = [], nodalPlanes, principalAxes, ...rest } = mechanism;
  const [tensor, ...tensors] = momentTensor;
  const author = withAuthor(mechanism);
  const lines = [
    tensor === undefined ? "" : writeTensor(tensor, author, losses),
    nodalPlanes?.nodalPlane1 === undefined ? "" : writePlanes(nodalPlanes, author, losses),
    principalAxes === undefined ? "" : writeAxes(principalAxes, author, losses),
  ];
  lose(losses.objects, "momentTensor", tensors.length);
  if (lines.every((line) => line === "")) {
    lose(losses.objects, "focalMechanism");
    return "";
  }
  const isHeld = nodalPlanes?.nodalPlane1 !== undefined;
  const left = withoutAuthor(rest);
  lose(losses.values, "focalMechanism", countLeft(left, isHeld ? MECHANISM_HELD : WITHOUT_PLANES));
  return lines.join("");
}

/** What is said of the mechanism stands in the line of its first plane. */
const WITHOUT_PLANES = heldBy([...AXES, ...AXES_ERRORS], "mechanism", {
  ...NO_OTHER_AUTHOR,
  publicID: true,
  triggeringOriginID: true,
});

function writeTensor(tensor: Tensor, mechanism: Draft, losses: Losses): string {
  const { dataUsed = [], comment = [], ...values } = tensor;
  const body = dataUsed.find(({ waveType }) => waveType === "body waves");
  const surface = dataUsed.find(({ waveType }) => waveType === "surface waves");
  const drafts = { tensor: values, mechanism, body: body ?? {}, surface: surface ?? {} };
  const scale = scaleOf([...TENSOR, ...TENSOR_ERRORS], drafts);
  const objects = { ...drafts, line: { scale } };
  const left =
    countLeft(values, TENSOR_HELD) +
    countLeftIn(
      [body, surface].filter((data) => data !== undefined),
      DATA_HELD,
    ) +
    countLeftIn(dataUsed.filter((data) => data !== body && data !== surface)) +
    countLeftIn(comment);
  lose(losses.values, "momentTensor", left);
  const [header = "", errors = ""] = MECHANISM_HEADERS.MOMTENS;
  const first = writeColumns(TENSOR, objects, losses, scale);
  const second = writeColumns(TENSOR_ERRORS, objects, losses, scale);
  const needed = Object.keys(values.tensor ?? {}).map((name) => `tensor.tensor.${name}.value`);
  if (!hasCells(first, TENSOR, ["line.scale", ...needed])) return lost("momentTensor", losses);
  return ` ${header}\n ${errors}\n${commentLine("#", first, header)}${commentLine("#", second, header)}`;
}

function lost(kind: string, { objects }: Losses): "" {
  lose(objects, kind);
  return "";
}

function writePlanes(
  { nodalPlane1, nodalPlane2, preferredPlane, ...rest }: QuakemlObject<"NodalPlanes">,
  mechanism: Draft,
  losses: Losses,
): string {
  const [header = ""] = MECHANISM_HEADERS.FAULT_PLANE;
  const lineOf = (plane: object, place: number, said: Draft) => {
    const line = place === preferredPlane ? { plane: "FAULT" } : {};
    lose(losses.values, "nodalPlane", countLeft(plane, PLANE_HELD));
    return writeColumns(PLANE, { plane, mechanism: said, line }, losses);
  };
  const planes = [nodalPlane1, nodalPlane2].filter((plane) => plane !== undefined);
  const lines = planes.map((plane, i) => lineOf(plane, i + 1, i === 0 ? mechanism : {}));
  if (!lines.every((line) => hasCells(line, PLANE, PLANE_CELLS))) {
    return lost("nodalPlanes", losses);
  }
  const isKnown = preferredPlane === undefined || [1, planes.length].includes(preferredPlane);
  lose(losses.values, "nodalPlanes", countLeft(rest) + Number(!isKnown));
  return ` ${header}\n${lines.map((line, i) => commentLine(i === 0 ? "#" : "+", line, header)).join("")}`;
}

const PLANE_CELLS = ["plane.strike.value", "plane.dip.value", "plane.rake.value"];

function writeAxes(axes: QuakemlObject<"PrincipalAxes">, mechanism: Draft, losses: Losses): string {
  const scale = scaleOf([...AXES, ...AXES_ERRORS], { axes });
  const objects = { axes, mechanism, line: { scale } };
  lose(losses.values, "principalAxes", countLeft(axes, AXES_HELD));
  const [header = "", errors = ""] = MECHANISM_HEADERS.PRINAX;
  const second = writeColumns(AXES_ERRORS, objects, losses, scale);
  const first = writeColumns(AXES, objects, losses, scale);
  const needed = Object.keys(axes).flatMap((axis) =>
    ["azimuth", "plunge", "length"].map((member) => `axes.${axis}.${member}.value`),
  );
  if (!hasCells(first, AXES, ["line.scale", ...needed])) return lost("principalAxes", losses);
  if (second === "") return ` ${header}\n${commentLine("#", first, header)}`;
  return ` ${header}\n ${errors}\n${commentLine("#", first, header)}${commentLine("+", second, header)}`;
}

/** Puts a line's values between the parentheses of its header. */
function commentLine(mark: "#" | "+", values: string, header: string): string {
  return ` (${mark}${values.slice(3).padEnd(header.length - 3)})\n`;
}

/** The power of ten with which the greatest value has one digit before its point. */
function scaleOf(columns: readonly Column[], objects: LineObjects): number {
  const values = columns
    .filter(({ isScaled }) => isScaled)
    .map((column) => Math.abs(Number(valueAt(objects, column) ?? 0)));
  const greatest = Math.max(0, ...values.filter(Number.isFinite));
  if (greatest === 0) return 0;
  const [digits = "0", power = "0"] = greatest.toExponential(3).split("e");
  const scale = Number(power);
  return Number(digits) === 0 ? 0 : Math.min(Math.max(scale, 0), MAX_SCALE);
}
