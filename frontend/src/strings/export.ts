/** Words of the export page about figures and the report. */

export const exportWords = {
  tables: {
    results: "All results",
    compare: "Comparison",
    memory: "Memory",
    run: "One run",
    scaling: "Scaling over levels",
    "load-levels": "Power against load",
    normalised: "Multiples of a configuration",
    factors: "Factors that differ",
  },
  figure: "Figure",
  figureNote: "Drawn with the data of this table, for print: told apart without colour, fonts embedded.",
  figureFormats: { svg: "SVG", pdf: "PDF", png: "PNG" },
  report: "Report",
  reportNote: "Every run with its figures, uncertainty, configuration, meters and methods in one HTML file.",
  reportRun: "Report of this run",
  reportAll: "Report of all runs",
}
