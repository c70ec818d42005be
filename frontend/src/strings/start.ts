/** Words of the first steps: from an empty bench to a comparison. */

export type StepName = "meter" | "server" | "plan" | "run" | "compare"

export const startWords = {
  title: "From an empty bench to a comparison",
  text: "Five steps; each page says what is missing. Nothing is lost when you leave in between.",
  open: "No sign-in",
  everybody: "Every user of this machine may do everything here. This asks them to sign in:",
  signInCommand: "wattmark serve --sign-in",
  done: "Done",
  next: "Next",
  later: "Later",
  look: "Look at it",
  lookAt: (step: string): string => `Look at it: ${step}`,
  all: "All of it is done. The pages are yours.",
  see: "See the comparison",
  nextStep: (step: string): string => `Next step: ${step}`,
  allSteps: "All first steps",
  simulated: "No meter at hand?",
  simulatedText:
    "This starts a Modbus meter that is simulated; connect it as modbus-tcp on 127.0.0.1 with the port it names:",
  demoText: "And this shows everything at work, with a campaign that runs:",
  simulateCommand: "wattmark meter simulate eastron.sdm230",
  demoCommand: "wattmark demo",
  besides: "Not on the way, and useful",
  besidesPages: [
    { to: "/archives", title: "Archives", text: "bring in runs of other places, take yours along, and share them." },
    { to: "/access", title: "Access", text: "who may look, measure and change the bench, and what was done." },
  ],
  steps: {
    meter: {
      title: "Connect a meter",
      text: "Choose its model, say where it is, and try it before it is saved.",
    },
    server: {
      title: "Describe a server",
      text: "The machine under test: how it is reached, its CPUs, its memory slots, its supplies, and which meter feeds them.",
    },
    plan: {
      title: "Build a plan",
      text: "Which configurations run which workloads, how often and how long; the run table stands beside it.",
    },
    run: {
      title: "Run it",
      text: "The servers go to full load, run after run, and every meter is recorded meanwhile.",
    },
    compare: {
      title: "Compare",
      text: "Performance per watt with its interval, beside published results; export it as a table or figure.",
    },
  } satisfies Record<StepName, { title: string; text: string }>,
}
