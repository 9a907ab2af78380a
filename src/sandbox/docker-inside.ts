/**
 * The shell text that runs inside a container. Ending the engine's command line does not end what it started, so every
 * program gets a small parent in there, which says hello with its process id, waits, and clears up behind the program;
 * and what must be ended early is ended by a second call. Plain POSIX shell with grep and sleep: an image may have no more.
 */
import { programsDir } from "./bwrap-plan.ts";
import { markName } from "./environment.ts";

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Process 1 of a container of ours: takes in orphans until the container is removed. It heeds no signal from inside. */
export const idleScript = "while :; do sleep 2147483 & wait $!; done";

/**
 * `list_members ROOT MARK` sets `members`: living processes of the session or group ROOT, with the mark in their
 * environment, or descended from such. It starts nothing that could be taken for one of them while it looks.
 */
const listMembers = `
list_members() {
  marked=" "
  for file in $(grep -lsF -e "${markName}=$2" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    marked="$marked\${file%/environ} "
  done
  members=" " table=""
  for dir in /proc/[0-9]*; do
    pid=\${dir#/proc/} line=""
    { while IFS= read -r part; do line="$line$part "; done < "$dir/stat"; } 2>/dev/null
    read_row \${line##*) }
    case "$state" in ""|Z|X) continue ;; esac
    if [ "$pid" = 1 ] || [ "$pid" = $$ ]; then continue; fi
    table="$table $pid:$parent"
    case "$marked" in *" $pid "*) session=$1 ;; esac
    if [ "$group" = "$1" ] || [ "$session" = "$1" ]; then members="$members$pid "; fi
  done
  grown=1
  while [ "$grown" = 1 ]; do
    grown=0
    for row in $table; do
      case "$members" in *" \${row%:*} "*) continue ;; esac
      case "$members" in *" \${row#*:} "*) members="$members\${row%:*} " grown=1 ;; esac
    done
  done
}
read_row() { state=$1 parent=$2 group=$3 session=$4; }
`;

/** `end_members ROOT MARK`: asks politely, kills after a second, fails when some are left after three. */
const endMembers = `
end_members() {
  round=0
  while list_members "$1" "$2"; [ "$members" != " " ]; do
    if [ $round -gt 60 ]; then return 1; fi
    if [ $round -eq 0 ]; then kill -s TERM $members 2>/dev/null; fi
    if [ $round -ge 20 ]; then kill -s KILL $members 2>/dev/null; fi
    round=$((round + 1))
    sleep 0.05
  done
}
`;

/** Sets `killed`: how often the kernel has ended a process of this container for want of memory. */
const countKilled = `
count_killed() {
  killed=0
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    if [ ! -r "$file" ]; then continue; fi
    while read -r name value; do
      if [ "$name" = oom_kill ]; then killed=$value; fi
    done < "$file"
  done
}
`;

const parentScript = `${listMembers}${endMembers}${countKilled}
mark=$1 hello=$2 program=$3
shift 3
if ! command -v -- "$program" >/dev/null 2>&1; then
  echo "\${hello}missing" >&2
  exit 127
fi
count_killed
echo "$hello$$ $killed" >&2
env "$@"
code=$?
end_members $$ "$mark"
exit $code
`;

const endScript = `${listMembers}${endMembers}${countKilled}
end_members "$1" "$2"
left=$?
count_killed
echo "$killed"
exit $left
`;

/** The image's own variables stay outside; only where programs are found and whose home it is are taken over. */
const enterScript = `
script=$1 path=$2
shift 2
exec env -i PATH="\${path:-\${PATH:-${defaultPath}}}:${programsDir}" HOME="\${HOME:-/tmp}" sh -c "$script" mom "$@"
`;

/** Bash where the image has it, because models write bash. */
const shellScript = `
if [ -x /bin/bash ]; then exec /bin/bash --norc -c "$1"; fi
exec /bin/sh -c "$1"
`;

export interface ProgramInside {
  command: { argv: string[] } | { shell: string };
  /** Beside PATH and HOME, all the program sees. Contains the mark. */
  env: Readonly<Record<string, string>>;
  mark: string;
  /** What the parent says first, followed by its process id or by `missing`. */
  hello: string;
}

/** Arguments for the engine's `exec`, after the container's name. */
export function buildEnterArguments({ command, env, mark, hello }: ProgramInside): string[] {
  const argv = "shell" in command ? ["sh", "-c", shellScript, "sh", command.shell] : command.argv;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const inside = [mark, hello, argv[0] ?? "", ...variables, ...argv];
  return ["sh", "-c", enterScript, "mom", parentScript, env["PATH"] ?? "", ...inside];
}

/** Ends the program whose parent has the id `root`; absent, only the mark is known. Prints how often memory ran out. */
export function buildEndArguments(root: number | undefined, mark: string): string[] {
  return ["sh", "-c", endScript, "mom", root === undefined ? "unknown" : String(root), mark];
}

/** The parent's process id and how often memory had run out by then; undefined when it did not find the program. */
export function parseHello(text: string): { pid: number; killedBefore: number } | undefined {
  const found = /^(\d+) (\d+)$/.exec(text);
  return found === null ? undefined : { pid: Number(found[1]), killedBefore: Number(found[2]) };
}
