/**
 * The system call filter of the sandbox, as a classic BPF program for `bwrap --seccomp`: everything is allowed but what
 * ordinary programs do not need and kernels were broken through. Namespaces, capabilities and the uid are the walls; this
 * keeps hands off the tools to undermine them. Pure: a table in, bytes out.
 */

export type Architecture = "x64" | "arm64";

/** Numbers as the kernel knows them: one where all architectures share it. */
type CallNumber = number | Readonly<Record<Architecture, number>>;

const both = (x64: number, arm64: number) => ({ x64, arm64 });

/** Refused with "not permitted". */
const refusedCalls: Readonly<Record<string, CallNumber>> = {
  // Other namespaces, other views of the files.
  setns: both(308, 268),
  mount: both(165, 40),
  umount2: both(166, 39),
  pivot_root: both(155, 41),
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
  open_tree_attr: 467,
  open_by_handle_at: both(304, 265),
  // The kernel's keyrings are not namespaced: keys of the host would be in reach.
  add_key: both(248, 217),
  request_key: both(249, 218),
  keyctl: both(250, 219),
  // Large parts of the kernel that a sandboxed program has no use for.
  bpf: both(321, 280),
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  perf_event_open: both(298, 241),
  userfaultfd: both(323, 282),
  // Into other processes.
  ptrace: both(101, 117),
  process_vm_readv: both(310, 270),
  process_vm_writev: both(311, 271),
  kcmp: both(312, 272),
  pidfd_getfd: 438,
  // The machine itself.
  kexec_load: both(246, 104),
  kexec_file_load: both(320, 294),
  init_module: both(175, 105),
  finit_module: both(313, 273),
  delete_module: both(176, 106),
  reboot: both(169, 142),
  swapon: both(167, 224),
  swapoff: both(168, 225),
  quotactl: both(179, 60),
  quotactl_fd: 443,
  acct: both(163, 89),
  syslog: both(103, 116),
};

/** Answered with "no such call", so that programs take their older way. */
const missingCalls: Readonly<Record<string, CallNumber>> = {
  // Its flags lie in memory, where a filter cannot look.
  clone3: 435,
  // Memory that belongs to no process and counts for no limit.
  memfd_create: both(319, 279),
  memfd_secret: 447,
};

const newNamespaces = 0x7e02_0000;
const newTimeNamespace = 0x80;
/** Put characters into a terminal's input, or read the console's screen. */
const terminalRequests = [0x5412, 0x541c];
/** Unix, IPv4, IPv6, netlink. Others, such as vsock, know no network namespace or are seldom-used kernel code. */
const socketFamilies = [1, 2, 10, 16];
/** System V shared memory outlives its processes and counts for none of them; small pieces are bounded by their number. */
const maxSharedSegmentBytes = 65_536;

const architectures: Readonly<Record<Architecture, { audit: number; x32Bit?: number }>> = {
  x64: { audit: 0xc000_003e, x32Bit: 0x4000_0000 },
  arm64: { audit: 0xc000_00b7 },
};

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

const numberOffset = 0;
const archOffset = 4;
/** Low half of the n-th argument; both architectures are little-endian. */
const argOffset = (index: number) => 16 + 8 * index;

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const and = (mask: number): Instruction => [0x54, 0, 0, mask];
const ifEqual = (value: number, skipTrue: number, skipFalse: number): Instruction => [0x15, skipTrue, skipFalse, value];
const ifGreater = (value: number, skipTrue: number, skipFalse: number): Instruction => [
  0x25,
  skipTrue,
  skipFalse,
  value,
];
const ifAtLeast = (value: number, skipTrue: number, skipFalse: number): Instruction => [
  0x35,
  skipTrue,
  skipFalse,
  value,
];
const answer = (action: number): Instruction => [0x06, 0, 0, action];

const errno = (code: number) => 0x0005_0000 | code;
const notPermitted = answer(errno(1));
const noSuchCall = answer(errno(38));
const noSuchFamily = answer(errno(97));
const allow = answer(0x7fff_0000);
const kill = answer(0x8000_0000);

export function buildSeccompFilter(architecture: Architecture): Buffer {
  const { audit, x32Bit } = architectures[architecture];
  const toNumber = (call: CallNumber) => (typeof call === "number" ? call : call[architecture]);
  /** `body` ends with an answer on every way through it. */
  const onCall = (call: CallNumber, body: Instruction[]) => [ifEqual(toNumber(call), 0, body.length), ...body];

  return encode([
    load(archOffset),
    ifEqual(audit, 1, 0),
    kill,
    load(numberOffset),
    ...(x32Bit === undefined ? [] : [ifAtLeast(x32Bit, 0, 1), kill]),
    ...Object.values(refusedCalls).flatMap((call) => onCall(call, [notPermitted])),
    ...Object.values(missingCalls).flatMap((call) => onCall(call, [noSuchCall])),
    ...onCall(both(56, 220), refuseFlags(newNamespaces)),
    ...onCall(both(272, 97), refuseFlags(newNamespaces | newTimeNamespace)),
    ...onCall(both(16, 29), [
      load(argOffset(1)),
      ...terminalRequests.flatMap((request) => [ifEqual(request, 0, 1), notPermitted]),
      allow,
    ]),
    ...onCall(both(41, 198), allowFamilies()),
    ...onCall(both(53, 199), allowFamilies()),
    ...onCall(both(29, 194), [
      load(argOffset(1) + 4),
      ifEqual(0, 1, 0),
      notPermitted,
      load(argOffset(1)),
      ifGreater(maxSharedSegmentBytes, 0, 1),
      notPermitted,
      allow,
    ]),
    allow,
  ]);
}

const refuseFlags = (flags: number): Instruction[] => [
  load(argOffset(0)),
  and(flags),
  ifEqual(0, 1, 0),
  notPermitted,
  allow,
];

const allowFamilies = (): Instruction[] => [
  load(argOffset(0)),
  ...socketFamilies.flatMap((family) => [ifEqual(family, 0, 1), allow]),
  noSuchFamily,
];

/** `struct sock_filter`: code (16 bits), two jumps (8 each), value (32). */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
