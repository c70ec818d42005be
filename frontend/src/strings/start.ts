/** Words of the first steps: from an empty bench to a comparison. */

export type StepName = "meter" | "server" | "plan" | "run" | "compare"

export const startWords = {
  title: "From an empty bench to a comparison",
  text: "Five steps. Each page shows what is missing; your entries are kept when you leave.",
  open: "No sign-in",
  everybody:
    "Everyone on this machine has full access. To require sign-in, or to add a server over SSH, start the service with:",
  signInCommand: "wattmark serve --sign-in",
  done: "Done",
  next: "Next",
  later: "Later",
  look: "Show",
  lookAt: (step: string): string => `Show: ${step}`,
  all: "All steps are done.",
  nextStep: (step: string): string => `Next step: ${step}`,
  allSteps: "All first steps",
  simulated: "No meter at hand?",
  simulatedText:
    "A simulated one follows the load of the machine that wattmark runs on. All its figures are marked as simulated.",
  simulatedAdd: "Use a simulated meter",
  simulatedMeter: { edit: "new", model: "carlogavazzi.em24e1", url: "simulated://" },
  demoText: "Or start a demo with a running campaign:",
  demoCommand: "wattmark demo",
  besides: "Also useful",
  besidesPages: [
    { to: "/archives", title: "Archives", text: "import runs from other labs, save yours as a file, and share them." },
    { to: "/access", title: "Access", text: "who may view, measure and change the bench, and what was changed." },
  ],
  steps: {
    meter: {
      title: "Connect a meter",
      text: "Choose its model, enter its address, and try it before you save.",
    },
    server: {
      title: "Add a server",
      text: "Describe the machine under test: its access, CPUs, memory slots and power supplies, and which meter measures it.",
    },
    plan: {
      title: "Build a plan",
      text: "Choose configurations, workloads, repeats and durations. A preview shows the run table.",
    },
    run: {
      title: "Run it",
      text: "The servers run at full load, run after run, and all meters are recorded.",
    },
    compare: {
      title: "Compare",
      text: "See performance per watt with 95 % intervals, next to published results. Export it as a table or figure.",
    },
  } satisfies Record<StepName, { title: string; text: string }>,
}
