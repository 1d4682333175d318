import { type Column, integer, real, scaled, text } from "./column.ts";

const AUTHOR = "mechanism.creationInfo.author";

/** First line of a moment tensor: values in 10^scale N·m, stations of body and surface waves. */
export const TENSOR: readonly Column[] = [
  integer(12, 13, "line.scale"),
  scaled(15, 19, 3, "tensor.scalarMoment.value"),
  real(21, 25, 3, "tensor.clvd"),
  scaled(27, 32, 3, "tensor.tensor.Mrr.value"),
  scaled(34, 39, 3, "tensor.tensor.Mtt.value"),
  scaled(41, 46, 3, "tensor.tensor.Mpp.value"),
  scaled(48, 53, 3, "tensor.tensor.Mrt.value"),
  scaled(55, 60, 3, "tensor.tensor.Mtp.value"),
  scaled(62, 67, 3, "tensor.tensor.Mrp.value"),
  integer(69, 72, "body.stationCount"),
  integer(74, 77, "surface.stationCount"),
  text(79, 87, AUTHOR),
];

/** Second line of a moment tensor: uncertainties in the first one's unit, components, duration in s. */
export const TENSOR_ERRORS: readonly Column[] = [
  scaled(15, 19, 3, "tensor.scalarMoment.uncertainty"),
  real(21, 25, 3, "tensor#clvdUncertainty"),
  scaled(27, 32, 3, "tensor.tensor.Mrr.uncertainty"),
  scaled(34, 39, 3, "tensor.tensor.Mtt.uncertainty"),
  scaled(41, 46, 3, "tensor.tensor.Mpp.uncertainty"),
  scaled(48, 53, 3, "tensor.tensor.Mrt.uncertainty"),
  scaled(55, 60, 3, "tensor.tensor.Mtp.uncertainty"),
  scaled(62, 67, 3, "tensor.tensor.Mrp.uncertainty"),
  integer(69, 72, "body.componentCount"),
  integer(74, 77, "surface.componentCount"),
  real(79, 86, 2, "tensor.sourceTimeFunction.duration"),
];

/** A nodal plane; what is said of the mechanism stands in the first plane's line. */
export const PLANE: readonly Column[] = [
  text(16, 18, "mechanism#solutionType"),
  real(20, 25, 2, "plane.strike.value"),
  real(27, 31, 2, "plane.dip.value"),
  real(33, 39, 2, "plane.rake.value"),
  integer(41, 43, "mechanism.stationPolarityCount"),
  integer(45, 47, "mechanism#shearPolarityCount"),
  text(49, 53, "line.plane"),
  text(55, 63, AUTHOR),
];

/** Principal axes: lengths in 10^scale N·m; ISF calls the null axis B. */
export const AXES: readonly Column[] = [
  integer(11, 12, "line.scale"),
  scaled(14, 19, 3, "axes.tAxis.length.value"),
  real(21, 26, 2, "axes.tAxis.azimuth.value"),
  real(28, 32, 2, "axes.tAxis.plunge.value"),
  scaled(34, 39, 3, "axes.nAxis.length.value"),
  real(41, 46, 2, "axes.nAxis.azimuth.value"),
  real(48, 52, 2, "axes.nAxis.plunge.value"),
  scaled(54, 59, 3, "axes.pAxis.length.value"),
  real(61, 66, 2, "axes.pAxis.azimuth.value"),
  real(68, 72, 2, "axes.pAxis.plunge.value"),
  text(74, 82, AUTHOR),
];

/** Uncertainties of principal axes, lengths in the unit of the line before. */
export const AXES_ERRORS: readonly Column[] = [
  scaled(15, 19, 3, "axes.tAxis.length.uncertainty"),
  real(21, 26, 2, "axes.tAxis.azimuth.uncertainty"),
  real(28, 32, 2, "axes.tAxis.plunge.uncertainty"),
  scaled(35, 39, 3, "axes.nAxis.length.uncertainty"),
  real(41, 46, 2, "axes.nAxis.azimuth.uncertainty"),
  real(48, 52, 2, "axes.nAxis.plunge.uncertainty"),
  scaled(55, 59, 3, "axes.pAxis.length.uncertainty"),
  real(61, 66, 2, "axes.pAxis.azimuth.uncertainty"),
  real(68, 72, 2, "axes.pAxis.plunge.uncertainty"),
  real(74, 78, 3, "mechanism#axesClvd"),
];
