import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Architecture, buildSeccompFilter } from "./seccomp.ts";

const audits: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const allow = 0x7fff0000;
const kill = 0x80000000;
const notPermitted = 0x50001;
const noSuchCall = 0x50026;

/** Runs the filter as the kernel would, on one system call. */
function judge(filter: Buffer, audit: number, number: number, args: bigint[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  let register = 0;
  for (let at = 0; ; at++) {
    const [code, jumpTrue, jumpFalse] = [filter.readUInt16LE(at * 8), filter[at * 8 + 2] ?? 0, filter[at * 8 + 3] ?? 0];
    const value = filter.readUInt32LE(at * 8 + 4);
    const jump = (isTrue: boolean) => {
      at += isTrue ? jumpTrue : jumpFalse;
    };
    if (code === 0x20) register = data.readUInt32LE(value);
    else if (code === 0x54) register = (register & value) >>> 0;
    else if (code === 0x15) jump(register === value);
    else if (code === 0x25) jump(register > value);
    else if (code === 0x35) jump(register >= value);
    else if (code === 0x06) return value;
    else throw new Error(`instruction ${code}`);
  }
}

const calls: [name: string, x64: number, arm64: number, args: bigint[], verdict: number][] = [
  ["read", 0, 63, [], allow],
  ["execve", 59, 221, [], allow],
  ["mount", 165, 40, [], notPermitted],
  ["keyctl", 250, 219, [], notPermitted],
  ["bpf", 321, 280, [], notPermitted],
  ["io_uring_setup", 425, 425, [], notPermitted],
  ["ptrace", 101, 117, [], notPermitted],
  ["syslog", 103, 116, [], notPermitted],
  ["clone3", 435, 435, [], noSuchCall],
  ["memfd_create", 319, 279, [], noSuchCall],
  ["clone as fork", 56, 220, [0x1200011n], allow],
  ["clone as a thread", 56, 220, [0x3d0f00n], allow],
  ["clone with a user namespace", 56, 220, [0x10000011n], notPermitted],
  ["clone with a mount namespace", 56, 220, [0x20011n], notPermitted],
  ["clone with rubbish above 32 bits", 56, 220, [0xffffffff10000011n], notPermitted],
  ["unshare of files", 272, 97, [0x400n], allow],
  ["unshare of the network", 272, 97, [0x40000000n], notPermitted],
  ["unshare of time", 272, 97, [0x80n], notPermitted],
  ["ioctl TCGETS", 16, 29, [0n, 0x5401n], allow],
  ["ioctl TIOCSTI", 16, 29, [0n, 0x5412n], notPermitted],
  ["ioctl TIOCSTI with rubbish above 32 bits", 16, 29, [0n, 0x1_0000_5412n], notPermitted],
  ["ioctl TIOCLINUX", 16, 29, [0n, 0x541cn], notPermitted],
  ["socket of IPv4", 41, 198, [2n], allow],
  ["socket of the machine's host", 41, 198, [40n], 0x50061],
  ["socketpair of unix", 53, 199, [1n], allow],
  ["a little shared memory", 29, 194, [0n, 56n], allow],
  ["much shared memory", 29, 194, [0n, 65_537n], notPermitted],
  ["very much shared memory", 29, 194, [0n, 0x1_0000_0000n], notPermitted],
];

for (const architecture of ["x64", "arm64"] as const) {
  describe(`the filter for ${architecture}`, () => {
    const filter = buildSeccompFilter(architecture);
    for (const [name, x64, arm64, args, verdict] of calls) {
      it(`decides about ${name}`, () => {
        const number = architecture === "x64" ? x64 : arm64;
        assert.equal(judge(filter, audits[architecture], number, args), verdict);
      });
    }

    it("ends programs that speak another architecture's language", () => {
      assert.equal(judge(filter, 0x40000003, 0), kill);
      if (architecture === "x64") assert.equal(judge(filter, audits.x64, 0x40000000 + 1), kill);
    });

    it("fits into what the kernel takes", () => {
      assert.ok(filter.length % 8 === 0 && filter.length / 8 <= 4096);
    });
  });
}
