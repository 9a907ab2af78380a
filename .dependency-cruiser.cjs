/** The walls of the house (docs/architecture.md). Type imports count. */
const rooms = [
  "config",
  "store",
  "observability",
  "channels",
  "inbound",
  "sessions",
  "commands",
  "agent",
  "outbound",
  "automation",
  "models",
  "tools",
  "sandbox",
  "workspace",
  "gateway",
  "memory",
];
const everyRoom = rooms.join("|");

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      comment: "A module that nothing reaches is dead.",
      severity: "error",
      from: {
        orphan: true,
        pathNot:
          "(\\.(test|worker)\\.ts$)|(^test/)|(^bench/)|(^scripts/)|(^src/cli/main\\.ts$)|(^src/contracts/)|(^web/(theme|main)\\.tsx?$)|(\\.d\\.ts$)",
      },
      to: {},
    },
    {
      name: "a-room-knows-only-itself",
      comment: "A room imports itself, base/ and contracts/; app/ joins the rooms.",
      severity: "error",
      from: { path: `^src/(${everyRoom})/`, pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: "^src/($1|base|contracts)/" },
    },
    {
      name: "base-knows-no-room",
      severity: "error",
      from: { path: "^src/base/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: "^src/(base|contracts)/" },
    },
    {
      name: "contracts-are-types",
      comment: "Vocabulary only: nothing but other contracts and type-only packages.",
      severity: "error",
      from: { path: "^src/contracts/" },
      to: { pathNot: "^src/contracts/|^node_modules/typebox/" },
    },
    {
      name: "rooms-are-entered-by-the-front-door",
      comment: "app/ and cli/ use a room through its index.ts.",
      severity: "error",
      from: { path: "^src/(app|cli)/" },
      to: {
        path: `^src/(${everyRoom})/`,
        pathNot: `^src/(${everyRoom})/index\\.ts$|^src/gateway/(protocol|client)/index\\.ts$`,
      },
    },
    {
      name: "app-is-on-top",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(app|cli)/" },
      to: { path: "^src/(app|cli)/" },
    },
    {
      name: "app-does-not-know-the-command-line",
      severity: "error",
      from: { path: "^src/app/" },
      to: { path: "^src/cli/" },
    },
    {
      name: "channels-do-not-know-each-other",
      severity: "error",
      from: { path: "^src/channels/([^/]+)/", pathNot: "^src/channels/kit/" },
      to: { path: "^src/channels/[^/]+/", pathNot: "^src/channels/($1|kit)/" },
    },
    {
      name: "tool-families-do-not-know-each-other",
      severity: "error",
      from: { path: "^src/tools/([^/]+)/", pathNot: "^src/tools/(kit|policy)/" },
      to: { path: "^src/tools/[^/]+/", pathNot: "^src/tools/($1|kit)/" },
    },
    {
      name: "a-client-needs-the-protocol-only",
      comment: "The browser and the command line talk to mom as any stranger's client would.",
      severity: "error",
      from: { path: "^(src/gateway/client|web)/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: "^src/gateway/(protocol|client)/" },
    },
    {
      name: "the-protocol-stands-alone",
      severity: "error",
      from: { path: "^src/gateway/protocol/", pathNot: "\\.test\\.ts$" },
      to: { path: "^src/", pathNot: "^src/gateway/protocol/" },
    },
    {
      name: "providers-do-not-know-each-other",
      severity: "error",
      from: { path: "^src/models/providers/([^/]+)/" },
      to: { path: "^src/models/providers/[^/]+/", pathNot: "^src/models/providers/$1/" },
    },
    {
      name: "pi-behind-two-rooms",
      severity: "error",
      from: { pathNot: "^src/(agent|models)/" },
      to: { path: "node_modules/@earendil-works/" },
    },
    {
      name: "lazy-loading-in-the-open",
      comment: "import() only in catalogs and the command line's entry: start-up cost is decided there.",
      severity: "error",
      from: { path: "^src/", pathNot: "(/catalog\\.ts$)|(^src/cli/main\\.ts$)|(\\.test\\.ts$)" },
      to: { dependencyTypes: ["dynamic-import"] },
    },
    {
      name: "processes-are-started-in-one-place",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/sandbox/|\\.test\\.ts$" },
      to: { path: "^(node:)?child_process$" },
    },
    {
      name: "the-product-needs-no-test-code",
      severity: "error",
      from: { path: "^src/", pathNot: "\\.test\\.ts$" },
      to: { path: "^(test|bench|scripts)/|\\.test\\.ts$" },
    },
    { name: "not-resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "types", "default"] },
  },
};
