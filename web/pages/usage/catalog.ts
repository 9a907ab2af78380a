/** The charts are loaded when the first one is drawn. */
export const loadCharts = () => import("./day-chart.ts");
