/** The few commands that a person is most often told to use. */
export const cliReference = () =>
  "For people, in a terminal on the host: `mom status` · `mom doctor` (what is wrong, and the fix) · `mom logs tail` · `mom config get|set`; `mom --help` has the rest. In a chat, /help lists the commands. Make up no others.";
