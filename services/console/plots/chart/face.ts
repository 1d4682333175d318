/** The letters of plots: the console's own, then those of the service's plots, which programs may have. */
export const PLOT_FACE = `"Console Sans", "Source Sans 3", "Segoe UI", Helvetica, Arial, sans-serif`;
