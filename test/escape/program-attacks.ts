/** What programs in the sandbox try. Each row names its guard and how to take exactly that guard out. */
import { renameSync, statfsSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { ExecResult } from "../../src/contracts/sandbox.ts";
import { buildBeginning, firstPinFd } from "../../src/sandbox/bwrap-args.ts";
import { isRoot, type Scene, showAll, type Weakening, withOptions, withoutLimit, withoutOption } from "./scene.ts";

export interface ProgramAttack {
  name: string;
  guard: string;
  as: "group" | "main" | "owner";
  /** A line for the shell. */
  line(scene: Scene): string;
  /** Did it get what it wanted? */
  succeeded(result: ExecResult, scene: Scene): boolean | Promise<boolean>;
  /** Other guards in the way of the same attack, taken out for both runs. */
  given?: Weakening;
  without: Weakening;
  /** Holds only where mom is root. */
  needsRoot?: true;
}

const readsSecret = ({ stdout }: ExecResult, { secret }: Scene) => stdout.includes(secret);
const prints =
  (word: string) =>
  ({ stdout }: ExecResult) =>
    stdout.includes(word);

const noFilter: Weakening = {
  // Ends after its first instruction: allow.
  launch: (prepared) => ({ ...prepared, filter: Buffer.from([0x06, 0, 0, 0, 0, 0, 0xff, 0x7f]) }),
};
/** The host's processes to be seen and signalled. */
const noProcessNamespace: Weakening = {
  launch(prepared) {
    const { options } = withoutOption(withoutOption(prepared, "--unshare-all"), "--proc", 1).command;
    const others = ["--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"];
    const open = withOptions(prepared, [...others, "--dev-bind", "/proc", "/proc", ...options]);
    // As root the stage has a namespace of its own too.
    const stage = open.command.stage.filter((option) => option !== "--unshare-pid");
    return { ...open, command: { ...open.command, stage } };
  },
};
const noWatch: Weakening = {
  launch: (prepared) => ({
    ...prepared,
    watch: { memoryMb: 100_000, minFreeDiskMb: 0, minFreeMemoryMb: 0, folders: [] },
  }),
};
const withoutBind = (at: (scene: Scene) => string): Weakening => ({
  launch(prepared, scene) {
    const { options } = prepared.command;
    const index = options.findIndex((word, i) => /^--(ro-)?bind(-fd)?$/.test(word) && options[i + 2] === at(scene));
    if (index === -1) throw new Error(`Nothing is bound at ${at(scene)}`);
    return withOptions(prepared, options.toSpliced(index, 3));
  },
});
/** A link to somewhere else in the place of the group's folder, at the worst moment. */
const swapsFolder: Weakening = {
  start(launch, _prepared, { channelDir, vaultDir }) {
    renameSync(channelDir, `${channelDir}-was`);
    symlinkSync(vaultDir, channelDir);
    return launch;
  },
};
/** Folders mounted by their names. */
const noPins: Weakening = {
  launch(prepared) {
    const { pins, stage, options } = prepared.command;
    const toName = (words: string[]) =>
      words.map((word, index) => {
        if (/^--(ro-)?bind-fd$/.test(word)) return word.replace("-fd", "");
        const isPin = /^--(ro-)?bind-fd$/.test(words[index - 1] ?? "");
        return isPin ? (pins[Number(word) - firstPinFd]?.source ?? word) : word;
      });
    const command = { ...prepared.command, stage: toName(stage), options: toName(options), pins: [] };
    return { ...prepared, command };
  },
};
const withTmpfsSize = (at: string): Weakening => ({
  launch(prepared) {
    const options = [...prepared.command.options];
    const index = options.indexOf(at, options.indexOf("--size"));
    options[options.lastIndexOf("--size", index) + 1] = String(64 * 1024 * 1024);
    return withOptions(prepared, options);
  },
});
const withoutRemount = (at: string): Weakening => ({
  launch(prepared) {
    const { options } = prepared.command;
    const index = options.findIndex((word, i) => word === "--remount-ro" && options[i + 1] === at);
    return withOptions(prepared, options.toSpliced(index, 2));
  },
});

const freeMegabytes = (folder: string) => {
  const { bavail, bsize } = statfsSync(folder);
  return Math.floor((bavail * bsize) / (1024 * 1024));
};

/** A system call by number, in Perl, which every Debian has: prints whether it got through to the kernel's own checks. */
const systemCall = (x64: number, arm64: number, args: string) => `perl -e '
  $! = 0; $got = syscall(${process.arch === "arm64" ? arm64 : x64}, ${args});
  print $got == -1 && ($!+0 == 1 || $!+0 == 38) ? "refused" : "reached";'`;

const files: ProgramAttack[] = [
  {
    name: "reads the configuration by its path",
    guard: "only an allow-list of folders is there",
    as: "group",
    line: ({ dataDir }) => `cat ${dataDir}/config.json ${dataDir}/auth.json ${dataDir}/state/mom.db`,
    succeeded: readsSecret,
    without: showAll,
  },
  {
    name: "reads credentials inside a root",
    guard: "hidden files and folders are covered",
    as: "owner",
    line: () => "cat config.json auth.json state/mom.db state/*",
    succeeded: readsSecret,
    without: { scope: (scope) => ({ ...scope, hidden: [] }) },
  },
  {
    name: "moves the cover of a hidden folder away",
    guard: "covers are mounts",
    as: "owner",
    line: () => "mv state away; rm -rf auth.json; cat away/mom.db",
    succeeded: readsSecret,
    without: { scope: (scope) => ({ ...scope, hidden: [] }) },
  },
  {
    name: "reads another channel's log by path, by .. and by link",
    guard: "only an allow-list of folders is there",
    as: "group",
    line: ({ otherDir }) =>
      `cat ${otherDir}/log.jsonl ../C2/log.jsonl; ln -s ${otherDir} mine; cat mine/log.jsonl way/log.jsonl`,
    succeeded: readsSecret,
    without: showAll,
  },
  {
    name: "reads another channel's log by a hard link that somebody made",
    guard: "files with further names outside are covered for strangers",
    as: "group",
    line: () => "cat linked.txt",
    succeeded: readsSecret,
    without: { scope: (scope) => ({ ...scope, isShared: false }) },
  },
  {
    name: "goes round by /proc/self/root and /proc/1/root",
    guard: "only an allow-list of folders is there",
    as: "group",
    line: ({ dataDir }) =>
      `for root in /proc/self/root /proc/1/root /proc/self/cwd/../../../../..; do cat $root${dataDir}/config.json; done`,
    succeeded: readsSecret,
    without: showAll,
  },
  {
    name: "searches for secrets",
    guard: "only an allow-list of folders is there",
    as: "group",
    line: ({ secret, dataDir }) =>
      `grep -rsh ${secret} /home /root /srv /mnt /var ${dataDir}; find /home /root /srv ${dataDir} -name auth.json`,
    succeeded: (result, scene) => readsSecret(result, scene) || result.stdout.includes("auth.json"),
    without: showAll,
  },
  {
    name: "changes a skill",
    guard: "what may only be read is mounted read-only",
    as: "group",
    line: ({ skillsDir }) => `cat ${skillsDir}/tea.md && echo poison >${skillsDir}/new.md && echo written`,
    succeeded: prints("written"),
    without: { scope: (scope) => ({ ...scope, roots: [...scope.roots, ...(scope.readOnly ?? [])], readOnly: [] }) },
  },
  {
    name: "rewrites the record of what was said",
    guard: "records are mounted read-only over themselves",
    as: "group",
    line: () =>
      "cp log.jsonl kept; (echo forged >log.jsonl || mv log.jsonl gone || rm log.jsonl) && echo forged; cp -f kept log.jsonl",
    succeeded: prints("forged"),
    // As root the file is not the sandbox user's either; he could still have taken it away.
    without: {
      scope: (scope) => {
        const { isSealed: _isSealed, ...rest } = scope;
        return rest;
      },
    },
  },
  {
    name: "puts another folder in the place of the record's",
    guard: "folders on the way to a record are mounts",
    as: "owner",
    line: () => "cd workspace/channels && mv slack was && echo moved && mv was slack",
    succeeded: prints("moved"),
    without: withoutBind(({ channelDir }) => dirname(channelDir)),
  },
  {
    name: "rewrites the record of another chat, as the owner",
    guard: "chats are read-only but for the one that is spoken in",
    as: "main",
    line: () => "cd channels/slack/C2 && echo forged >new && mv new log.jsonl && cat log.jsonl",
    succeeded: prints("forged"),
    without: { scope: (scope) => ({ ...scope, readOnlyInside: [] }) },
  },
  {
    name: "has its folder swapped for a link while the sandbox is built",
    guard: "folders that could be swapped are mounted by descriptor",
    as: "group",
    line: () => "cat key",
    succeeded: readsSecret,
    given: swapsFolder,
    without: noPins,
  },
  {
    name: "reads the data directory where the operator opened what is around it",
    guard: "private folders are covered",
    as: "group",
    line: ({ workspaceDir }) => `cat ${workspaceDir}/MEMORY.md`,
    succeeded: readsSecret,
    given: { settings: (settings, { dataDir }) => ({ ...settings, readable: [dataDir] }) },
    without: { settings: (settings) => ({ ...settings, privateDirs: [] }) },
  },
  {
    name: "reads what is hidden in a folder that everybody may read",
    guard: "hidden files and folders are covered there too",
    as: "group",
    line: ({ toolsDir }) => `cat ${toolsDir}/key`,
    succeeded: readsSecret,
    given: { settings: (settings, { toolsDir }) => ({ ...settings, readable: [dirname(toolsDir)] }) },
    without: { scope: (scope) => ({ ...scope, hidden: [] }) },
  },
  {
    name: "reads what root alone may read",
    guard: "the uid is dropped before the sandbox is built",
    as: "group",
    line: () => "cat /etc/shadow >/dev/null && echo shadow",
    succeeded: prints("shadow"),
    without: { launch: (prepared) => ({ ...prepared, command: { ...prepared.command, drop: [] } }) },
    needsRoot: true,
  },
];

const rights: ProgramAttack[] = [
  {
    name: "becomes root by a setuid program",
    guard: "no new privileges",
    as: "group",
    // It waits for a password; by then it has the rights it will get.
    line: () => `
      folder=$(mktemp -d); mkfifo $folder/in; su root <$folder/in >/dev/null 2>&1 & exec 9>$folder/in
      for i in $(seq 60); do grep -q "^Name:.su$" /proc/$!/status && break; sleep 0.05; done
      grep -q "^Uid:.*[[:space:]]0[[:space:]]" /proc/$!/status && echo is-root
      kill $!; rm -r $folder`,
    succeeded: prints("is-root"),
    // bubblewrap never goes without it, so here there is none, nor limits, which outside count the user's other processes.
    without: {
      start: (launch, { command }) => ({
        ...launch,
        argv: [
          ...command.drop.filter((word) => word !== "--no-new-privs"),
          ...buildBeginning({ ...command, limits: [] }),
          ...command.argv,
        ],
      }),
    },
  },
  {
    name: "makes a user namespace of its own",
    guard: "further user namespaces are disabled",
    as: "group",
    line: () => "unshare --user --map-root-user true && echo nested",
    succeeded: prints("nested"),
    given: noFilter,
    without: { launch: (prepared) => withoutOption(prepared, "--disable-userns") },
  },
  {
    name: "asks for namespaces by system call",
    guard: "the system call filter",
    as: "group",
    // A user namespace: the kernel itself says "too many" where they are disabled.
    line: () => systemCall(272, 97, "0x10000000"),
    succeeded: prints("reached"),
    without: noFilter,
  },
  {
    name: "reaches into the kernel's keyrings",
    guard: "the system call filter",
    as: "group",
    line: () => systemCall(250, 219, "0, -3, 1"),
    succeeded: prints("reached"),
    without: noFilter,
  },
  {
    name: "traces a process",
    guard: "the system call filter",
    as: "group",
    line: () => systemCall(101, 117, "0, 0, 0, 0"),
    succeeded: prints("reached"),
    without: noFilter,
  },
  {
    name: "puts characters into a terminal's input (TIOCSTI)",
    guard: "the system call filter",
    as: "group",
    line: () =>
      `script -qec 'perl -e "\\$c = chr(120); \\$! = 0; ioctl(STDIN, 0x5412, \\$c); print \\$!+0 == 1 ? qq(refused) : qq(reached);"' /dev/null`,
    succeeded: prints("reached"),
    without: noFilter,
  },
  {
    name: "ends a process outside",
    guard: "a process namespace of its own",
    as: "group",
    line: ({ victim }) => `kill -9 ${victim.pid} && echo killed`,
    succeeded: prints("killed"),
    without: noProcessNamespace,
  },
  {
    name: "reads command lines of processes outside",
    guard: "a process namespace of its own",
    as: "group",
    line: () => "grep -aho 'secret-[0-9a-f]*' /proc/[0-9]*/cmdline",
    succeeded: readsSecret,
    without: noProcessNamespace,
  },
  {
    name: "ends its parents",
    guard: "a process namespace of its own",
    as: "group",
    line: () => "kill -9 $PPID; sleep 0.3; echo alive",
    succeeded: ({ stdout }) => !stdout.includes("alive"),
    without: noProcessNamespace,
  },
  {
    name: "connects to a service of the host",
    guard: "no network unless the session may have it",
    as: "group",
    line: ({ port }) => `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`,
    succeeded: prints("reached"),
    without: { scope: (scope) => ({ ...scope, hasNetwork: true }) },
  },
  {
    name: "finds keys in the environment",
    guard: "the environment is cleared",
    as: "group",
    line: () => "env; cat /proc/self/environ /proc/1/environ",
    succeeded: readsSecret,
    without: {
      launch: (prepared, { secret }) => ({
        ...withoutOption(prepared, "--clearenv"),
        env: { ...prepared.env, MOM_TEST_API_KEY: secret },
      }),
    },
  },
];

const bombs: ProgramAttack[] = [
  {
    name: "forks without end",
    guard: "the number of processes is limited",
    as: "group",
    // 150 that only sleep, with or without the limit.
    line: () => `perl -e 'for (1..150) { $pid = fork; if (defined $pid) { $pid or sleep(30), exit; $n++ } } print $n'`,
    succeeded: ({ stdout }) => Number(stdout.trim()) > 100,
    without: { launch: (prepared) => withoutLimit(prepared, "u") },
  },
  {
    name: "takes all memory in one process",
    guard: "the memory of a process is limited",
    as: "group",
    line: () => "head -c 300000000 /dev/zero | tail -c 300000000 | wc -c",
    succeeded: prints("300000000"),
    given: noWatch,
    without: { launch: (prepared) => withoutLimit(prepared, "d") },
  },
  {
    name: "takes all memory in many processes",
    guard: "the memory of the whole tree is watched",
    as: "group",
    line: () => `perl -e '
      pipe(R, W);
      for (1..6) { if (!fork) { $x = "x" x 20_000_000; syswrite W, 1; sleep 30; exit } }
      sysread(R, $one, 1) for 1..6;
      sleep 3;
      print "survived";'`,
    succeeded: prints("survived"),
    without: noWatch,
  },
  {
    name: "takes memory that waits in sockets",
    guard: "the number of open files is limited",
    as: "group",
    line: () => `perl -MSocket -e '
      for (1..200) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or last; push @kept, $a, $b }
      print scalar @kept;'`,
    succeeded: ({ stdout }) => Number(stdout) > 200,
    without: { launch: (prepared) => withoutLimit(prepared, "n") },
  },
  {
    name: "takes memory that belongs to no process",
    guard: "the system call filter",
    as: "group",
    line: () => systemCall(319, 279, '$n = "x", 0'),
    succeeded: prints("reached"),
    without: noFilter,
  },
  {
    name: "takes shared memory that outlives it",
    guard: "the system call filter",
    as: "group",
    line: () => `${systemCall(29, 194, "0, 56, 0600")}; echo; ${systemCall(29, 194, "0, 70000, 0600")}`,
    succeeded: ({ stdout }) => stdout.endsWith("reached"),
    without: noFilter,
  },
  {
    name: "fills the disk",
    guard: "free space is watched",
    as: "group",
    line: () => "head -c 40000000 /dev/zero >fill; sleep 1.5; rm fill; echo survived",
    succeeded: ({ stdout }) => stdout.includes("survived"),
    given: {
      launch: (prepared, { channelDir }) => ({
        ...prepared,
        watch: { ...prepared.watch, minFreeDiskMb: freeMegabytes(channelDir) - 20 },
      }),
    },
    without: noWatch,
  },
  {
    name: "writes one endless file",
    guard: "the size of a file is limited",
    as: "group",
    line: () => "head -c 80000000 /dev/zero >big; stat -c %s big; rm big",
    succeeded: prints("80000000"),
    without: { launch: (prepared) => withoutLimit(prepared, "f") },
  },
  ...["/tmp", "/dev/shm"].map(
    (folder): ProgramAttack => ({
      name: `fills memory through ${folder}`,
      guard: "file systems in memory have a size",
      as: "group",
      line: () => `head -c 8000000 /dev/zero >${folder}/big; stat -c %s ${folder}/big`,
      succeeded: prints("8000000"),
      without: withTmpfsSize(folder),
    }),
  ),
  ...["/", "/dev", "/run"].map(
    (folder): ProgramAttack => ({
      name: `writes where only mounts hang: ${folder}`,
      guard: "it is read-only in the end",
      as: "group",
      line: () => `echo x >${folder}/big && echo written`,
      succeeded: prints("written"),
      without: withoutRemount(folder),
    }),
  ),
];

export const programAttacks = [...files, ...rights, ...bombs].filter(({ needsRoot }) => isRoot || !needsRoot);
