/**
 * What every platform's adapter must do, whatever it talks to. A harness joins an adapter to its (fake) platform; the suite
 * asks the capabilities what applies, never the name. Needs nothing of the rest of mom.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { newTurnId } from "../../src/base/ids.ts";
import type { ChannelCapabilities, OutgoingFile, PlatformAdapter, SendResult } from "../../src/contracts/channel.ts";
import type { DeliveryId } from "../../src/contracts/ids.ts";
import type { ChannelAttachment, ChannelMessage } from "../../src/contracts/message.ts";

/** What somebody says on the platform. */
export interface Said {
  text: string;
  /** The platform's id of it, where the platform is the one that gives ids. */
  id?: string;
  attachment?: { filename: string; data: string };
}

export interface AdapterRig {
  /** Not started, no handlers yet. */
  adapter: PlatformAdapter;
  /** A direct chat with `sender`. */
  channelId: string;
  sender: { id: string; username: string };
  /** Who gives a message its id: then `Said.id` must come through unchanged. */
  idsFrom: "platform" | "adapter";
  /** Makes the platform report a message; returns when it is on its way to the adapter. */
  say(said: Said): Promise<void>;
  /** Lets time pass until what is due has happened: retries, timers, polls. */
  pass(): Promise<void>;
  /** What a reader of the chat sees by now, edits applied, and any sequence that a screen was told to obey. */
  shown(): string;
  /** How a text of plain words looks there, where the platform changes them. Absent: as they are. */
  asShown?(text: string): string;
  /** Frees what the rig holds; the adapter is stopped before. */
  dispose(): Promise<void>;
}

const evil = "\x1b[2J\x1b]0;owned\x07\u202e";

export function channelAdapterContract(name: string, createRig: () => Promise<AdapterRig>): void {
  describe(`channel adapter contract: ${name}`, { timeout: 60_000 }, () => {
    let folder: string;
    let rig: AdapterRig;
    let adapter: PlatformAdapter;
    let heard: ChannelMessage[];

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), "mom-channel-"));
    });
    after(() => rm(folder, { recursive: true, force: true }));
    beforeEach(async () => {
      rig = await createRig();
      adapter = rig.adapter;
      heard = [];
      adapter.onMessage(async (message) => void heard.push(message));
      adapter.onStop(async () => undefined);
    });
    afterEach(async () => {
      await adapter.stop();
      await rig.dispose();
    });

    const send = (text: string, n = 1): Promise<SendResult> =>
      adapter.sendMessage(rig.channelId, { deliveryId: `d.${n}` as DeliveryId, text });
    const countShown = (text: string) => rig.shown().split(rig.asShown?.(text) ?? text).length - 1;
    const hear = async (count: number) => {
      for (let tries = 0; heard.length < count && tries < 200; tries++) await rig.pass();
      assert.equal(heard.length, count, "messages heard");
      return heard.at(-1) ?? assert.fail();
    };

    describe("inbound", () => {
      it("turns what was said into a message with all its fields", async () => {
        await adapter.start();
        await rig.say({ text: "hello *there* 👋", id: "1700000000.000100" });
        const message = await hear(1);
        assert.equal(message.text, "hello *there* 👋");
        assert.equal(message.channelId, rig.channelId);
        assert.equal(message.sender.id, rig.sender.id);
        assert.equal(message.sender.username, rig.sender.username);
        assert.equal(message.sender.isBot, false);
        assert.equal(message.isMention, true, "a direct message is addressed to mom");
        assert.deepEqual(message.attachments, []);
        assert.equal(new Date(message.timestamp).toISOString(), message.timestamp);
        if (rig.idsFrom === "platform") assert.equal(message.id, "1700000000.000100");
        else assert.match(message.id, /^\S+$/);
      });

      it("keeps control characters in the text", async () => {
        await adapter.start();
        await rig.say({ text: "a\x1b[31mb\u202ec", id: "2" });
        assert.equal((await hear(1)).text, "a\x1b[31mb\u202ec");
        assert.doesNotMatch(rig.shown(), /\x1b\[31mb|\u202e/);
      });

      it("gives every message an id of its own, and keeps the order", async () => {
        await adapter.start();
        for (const n of [1, 2, 3]) await rig.say({ text: `message ${n}`, id: `id-${n}` });
        await hear(3);
        assert.deepEqual(
          heard.map(({ text }) => text),
          ["message 1", "message 2", "message 3"],
        );
        assert.equal(new Set(heard.map(({ id }) => id)).size, 3);
      });

      it("brings files along where the platform has them", async (context) => {
        if (adapter.capabilities.maxDownloadBytes === 0) return context.skip("the platform takes no files from people");
        await adapter.start();
        await rig.say({ text: "look", id: "3", attachment: { filename: "../notes.txt", data: "content" } });
        const [attachment]: (ChannelAttachment | undefined)[] = (await hear(1)).attachments;
        assert.equal(attachment?.filename, "../notes.txt");
        assert.doesNotMatch(attachment?.localPath ?? "", /^\/|\.\./);
        assert.equal(attachment?.size, 7);
      });

      it("offers a message again that was not taken, with the same id", async () => {
        const tried: string[] = [];
        adapter.onMessage(async (message) => {
          tried.push(message.id);
          if (tried.length < 3) throw new Error("the disk is full");
          heard.push(message);
        });
        await adapter.start();
        await rig.say({ text: "again", id: "4" });
        await hear(1);
        assert.equal(tried.length, 3);
        assert.equal(new Set(tried).size, 1);
      });

      it("knows the chat and the person it heard from", async () => {
        await adapter.start();
        await rig.say({ text: "hi", id: "5" });
        await hear(1);
        assert.equal(adapter.getChannelInfo(rig.channelId)?.type, "dm");
        assert.ok(adapter.getChannels().some(({ id }) => id === rig.channelId));
        assert.equal(adapter.getUserInfo(rig.sender.id)?.username, rig.sender.username);
        assert.ok(adapter.getUsers().some(({ id }) => id === rig.sender.id));
        assert.equal(adapter.getChannelInfo("no-such-chat"), undefined);
        assert.equal(adapter.getUserInfo("no-such-user"), undefined);
      });
    });

    describe("render", () => {
      it("gives nothing for nothing and something for everything else", () => {
        assert.deepEqual(adapter.render(""), []);
        for (const text of ["x", "**", "---", "[a]: http://b", "<!-- -->", "```\n```", "&nbsp;", "\u200b"]) {
          const parts = adapter.render(text);
          assert.ok(parts.length > 0 && parts.every((part) => part !== ""), JSON.stringify(text));
        }
      });

      it("keeps every part within the platform's limit, in its unit", () => {
        const limit = Math.min(adapter.capabilities.maxMessageLength, 2 ** 24);
        const words = "words 你好 👩‍👩‍👧‍👦 & <more> *of* them ";
        const long = words.repeat(Math.ceil((limit * 2.5) / words.length));
        const code = `\`\`\`ts\n${"const x = '👋';\n".repeat(Math.ceil((limit * 1.5) / 15))}\`\`\``;
        for (const text of [long, code, `${"😀".repeat(limit)}`]) {
          const parts = adapter.render(text);
          assert.ok(parts.length > 1);
          for (const part of parts) {
            assert.ok(measureIn(part, adapter.capabilities.lengthUnit) <= limit);
            assert.doesNotMatch(part, /^[\udc00-\udfff]|[\ud800-\udbff]$/, "a cut surrogate pair");
          }
        }
      });

      it("is pure", () => assert.deepEqual(adapter.render("# a\n\nb"), adapter.render("# a\n\nb")));
    });

    describe("outbound", () => {
      beforeEach(() => adapter.start());

      it("sends, and says under which id", async () => {
        const first = await send("the first reply", 1);
        const second = await send("the second reply", 2);
        assert.ok(first.type === "sent" && second.type === "sent");
        assert.notEqual(first.messageId, "");
        assert.notEqual(first.messageId, second.messageId);
        assert.equal(countShown("the first reply"), 1);
        assert.equal(countShown("the second reply"), 1);
      });

      it("shows a reply once, whatever was streamed of it before", async () => {
        const turnId = newTurnId(0);
        for (const delta of ["streamed ", "words"]) {
          await adapter.showEvent(rig.channelId, turnId, { type: "text_delta", delta });
          await rig.pass();
        }
        await adapter.showEvent(rig.channelId, turnId, { type: "agent_end", stopReason: "stop" });
        const message = { deliveryId: "s.1" as DeliveryId, text: "streamed words", turnId };
        assert.equal((await adapter.sendMessage(rig.channelId, message)).type, "sent");
        await rig.pass();
        assert.equal(countShown("streamed words"), 1);
      });

      it("never passes on what a screen would obey", async () => {
        await adapter.showEvent(rig.channelId, newTurnId(0), { type: "text_delta", delta: `${evil}one` });
        for (const [n, part] of adapter.render(`${evil}two &#27;[2J`).entries()) await send(part, n);
        await rig.pass();
        assert.doesNotMatch(rig.shown(), /\x1b\[2J|\x1b\]0;|\u202e/);
        assert.ok(rig.shown().includes("two"));
      });

      it("rejects a chat that does not exist", async () => {
        const message = { deliveryId: "x.1" as DeliveryId, text: "x" };
        assert.equal((await adapter.sendMessage("no-such-chat", message)).type, "rejected");
      });

      it("settles a delivery as its capabilities say", async () => {
        const sent = await send("just this once", 7);
        assert.ok(sent.type === "sent");
        const settled = await adapter.settle(rig.channelId, "d.7" as DeliveryId);
        const never = await adapter.settle(rig.channelId, "never.1" as DeliveryId);
        if (adapter.capabilities.settles === "lookup") {
          assert.deepEqual(settled, sent);
          assert.equal(never.type, "not-sent");
        }
        if (adapter.capabilities.settles === "blind") {
          assert.equal(settled.type, "unknown");
          assert.equal(never.type, "unknown");
        }
      });

      it("the same delivery twice: once where it is idempotent, marked where nobody can tell", async () => {
        const message = { deliveryId: "r.1" as DeliveryId, text: "could be twice" };
        await adapter.sendMessage(rig.channelId, message);
        assert.doesNotMatch(rig.shown(), /sent again/);
        assert.equal((await adapter.sendMessage(rig.channelId, { ...message, repeated: true })).type, "sent");
        if (adapter.capabilities.settles === "idempotent") assert.equal(countShown(message.text), 1);
        if (adapter.capabilities.settles === "blind") {
          assert.equal(countShown(message.text), 2);
          assert.match(rig.shown(), /sent again/);
        }
      });

      it("changes and deletes only where it can", async () => {
        const sent = await send("to be changed", 8);
        assert.ok(sent.type === "sent");
        const updated = await adapter.updateMessage(rig.channelId, sent.messageId, "changed");
        assert.equal(updated.type, adapter.capabilities.edit ? "sent" : "rejected");
        const deleted = await adapter.deleteMessage(rig.channelId, sent.messageId);
        assert.equal(deleted.type, adapter.capabilities.delete ? "sent" : "rejected");
      });

      it("the same change or deletion twice is the same as once", async (context) => {
        const { edit, delete: canDelete } = adapter.capabilities;
        if (!edit && !canDelete) return context.skip("the platform can do neither");
        const sent = await send("to be changed twice", 9);
        assert.ok(sent.type === "sent");
        for (let n = 0; edit && n < 2; n++) {
          assert.equal((await adapter.updateMessage(rig.channelId, sent.messageId, "changed")).type, "sent");
        }
        for (let n = 0; canDelete && n < 2; n++) {
          assert.equal((await adapter.deleteMessage(rig.channelId, sent.messageId)).type, "sent");
        }
      });

      it("uploads what is allowed and nothing else", async () => {
        const { maxUploadBytes } = adapter.capabilities;
        const file = (filename: string): OutgoingFile => ({
          deliveryId: `f.${filename}` as DeliveryId,
          path: join(folder, filename),
          filename,
        });
        await writeFile(join(folder, "report.txt"), "content");
        const result = await adapter.uploadFile(rig.channelId, file("report.txt"));
        assert.equal(result.type, maxUploadBytes === 0 ? "rejected" : "sent");
        if (maxUploadBytes > 0) assert.match(rig.shown(), /report\.txt/);
        assert.equal((await adapter.uploadFile(rig.channelId, file("missing.txt"))).type, "rejected");
        // A sparse file costs no disk; beyond this no platform sets its limit by size.
        if (maxUploadBytes > 2 ** 40) return;
        await writeFile(join(folder, "huge.bin"), "");
        await truncate(join(folder, "huge.bin"), maxUploadBytes + 1);
        assert.equal((await adapter.uploadFile(rig.channelId, file("huge.bin"))).type, "rejected");
      });
    });

    describe("life", () => {
      it("stops twice, and before it was started", async () => {
        await adapter.stop();
        await adapter.stop();
        assert.equal(adapter.health().state, "stopped");
      });

      it("calls no handler after it was stopped", async () => {
        await adapter.start();
        await adapter.stop();
        await rig.say({ text: "too late", id: "9" });
        for (let n = 0; n < 5; n++) await rig.pass();
        assert.deepEqual(heard, []);
      });

      it("gives up offering a message when it is stopped", async () => {
        let tries = 0;
        adapter.onMessage(async () => {
          tries++;
          throw new Error("never");
        });
        await adapter.start();
        await rig.say({ text: "refused", id: "10" });
        for (let n = 0; n < 200 && tries === 0; n++) await rig.pass();
        await adapter.stop();
        const before = tries;
        for (let n = 0; n < 5; n++) await rig.pass();
        assert.equal(tries, before);
        assert.ok(before > 0);
      });

      it("reports what came through, not that something is open", async () => {
        assert.equal(adapter.health().state, "stopped");
        await adapter.start();
        const fresh = adapter.health();
        assert.equal(fresh.state, "connected");
        assert.equal(fresh.lastInboundAt, undefined);
        assert.equal(fresh.lastOutboundAt, undefined);
        await rig.say({ text: "hi", id: "11" });
        await hear(1);
        await rig.pass();
        assert.equal(typeof adapter.health().lastInboundAt, "number");
        assert.equal(adapter.health().lastOutboundAt, undefined);
        await send("hello");
        assert.equal(typeof adapter.health().lastOutboundAt, "number");
      });
    });
  });
}

/** Counted here once more, so that the kit's own measure is not what it is judged by. */
function measureIn(text: string, unit: ChannelCapabilities["lengthUnit"]): number {
  if (unit === "byte") return new TextEncoder().encode(text).length;
  return unit === "codepoint" ? Array.from(text).length : text.length;
}
