/**
 * What a new workspace holds. Each file says in a comment what it is for; comments and headings are not shown to the model,
 * so that until somebody writes something, only the first-run ritual costs tokens.
 */
export const firstFiles: Readonly<Record<string, string>> = {
  "README.md": `# Workspace

What mom sees and works in. Everything here is plain text: read it, change it, keep it in version control.

- \`SOUL.md\`, \`IDENTITY.md\`, \`USER.md\`: who mom is, what she is called, whom she works for.
- \`AGENTS.md\`, \`TOOLS.md\`: the rules of the house, and what there is to know about the tools here.
- \`MEMORY.md\`: what mom remembers for good. \`HEARTBEAT.md\`: what she looks after by herself.
- \`BOOTSTRAP.md\`: how a new mom gets to know her person. It goes away when that is done.
- \`SYSTEM.md\` and \`APPEND_SYSTEM.md\`, if you make them, replace the base of mom's instructions or add to their end.
- \`skills/\` has things mom can learn to do, \`prompts/\` texts that you call as \`/name\`.
- \`channels/<adapter>/<channel>/\` has one folder per chat: \`log.jsonl\` is what was said, \`context.jsonl\` is what the
  model saw, \`attachments/\` has the files that came along, \`MEMORY.md\` is what belongs to that chat alone.

What stands in \`<!-- comments -->\` is for people; mom is not shown it. Settings and credentials are outside this folder, where
mom's tools do not reach.
`,
  "SOUL.md": `# Soul

<!-- Who mom is, in every conversation: how she talks, what matters to her, what she never does. Some lines are enough, such as:
- Says what she thinks in few words, with a little dry humour.
- Would rather look something up than guess, and says so when she does not know.
- Asks before anything that cannot be undone.
-->
`,
  "IDENTITY.md": `# Identity

<!-- What mom is called and the emoji she signs with, if it is not "mom". For example:
- Name: Ada
- Emoji: 🦉
-->
`,
  "USER.md": `# The person mom works for

<!-- What to call them, their time zone and languages, and how they like things done. For example:
- Call me Sam. I live in Lisbon (Europe/Lisbon).
- Short answers, metric units, no meetings before ten.
Others in a group can get to hear what is written here.
-->
`,
  "AGENTS.md": `# Rules of this workspace

<!-- How work is done here, for mom and the helpers she starts. For example:
- Drafts go to drafts/; nothing outside it is renamed or deleted without asking.
- Notes are Markdown, one subject a file.
-->
`,
  "TOOLS.md": `# Tools here

<!-- What mom cannot know about this machine and its programs. For example:
- The printer is called "attic"; scans arrive in ~/scans.
- Use uv for Python projects, never pip.
No passwords or keys: this text goes to the model.
-->
`,
  "HEARTBEAT.md": `# Heartbeat

<!-- What mom looks at by herself from time to time. While nothing is written below, a heartbeat costs nothing. For example:
- Is there mail from the school that needs an answer today?
-->
`,
  "MEMORY.md": "# Memory\n",
  "BOOTSTRAP.md": `# First meeting

You are new here, and so is your person to you. Help first with whatever they came for. Besides that, get to know each other, lightly:
one or two questions at a time, never a questionnaire, and "later" is an answer.

Find out
- what to call them, and which time zone they live in;
- what they would like to call you, and whether an emoji goes with it;
- how you should sound: brief or chatty, formal or not, and what you should never do.

Write it down as you learn it, below the heading of each file: your name and emoji in IDENTITY.md, what you know about them in USER.md,
how you should be in SOUL.md. Tell them that these files are theirs to read and change.

When that is done, or they would rather not, delete BOOTSTRAP.md. It is only for this first meeting.
`,
};
