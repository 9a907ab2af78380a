/**
 * The chat UI: keys go to the editor, what is entered goes to the app, events and posts come back onto the screen. Owns the
 * terminal from `start` to `stop`.
 */
import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../../../contracts/clock.ts";
import type { Log } from "../../../contracts/log.ts";
import { createPaints } from "../../kit/ansi.ts";
import { neutralise } from "../../kit/neutralise.ts";
import type { Terminal } from "../../terminal.ts";
import type { CliConfig } from "../config.ts";
import { formatFile, repeatedNote } from "../format.ts";
import { type Inbound, maxMessageBytes } from "../inbound.ts";
import type { Surface } from "../surface.ts";
import { createWriter } from "../writer.ts";
import { type Block, createBlocks, hasGap } from "./blocks.ts";
import { applyKey, createEditorState } from "./editor.ts";
import { createHistory } from "./history.ts";
import { type InterruptState, leaveWithinMs, pickInterrupt } from "./interrupt.ts";
import { createKeyboard } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import { createScreen, type Size } from "./screen.ts";
import { createTurnDisplay } from "./turn-display.ts";
import { createTurnList } from "./turn-list.ts";
import { buildFrame, type Status, spinnerMs } from "./view.ts";

export interface ChatDeps {
  terminal: Terminal;
  clock: Clock;
  log: Log;
  inbound: Inbound;
  /** Asks the app to end what runs. */
  askStop(): Promise<void>;
}

const pasteModeOn = "\x1b[?2004h";
const pasteModeOff = "\x1b[?2004l";

export function createTerminalChat({ terminal, clock, log, inbound, askStop }: ChatDeps, config: CliConfig): Surface {
  const { output, color } = terminal;
  const paint = createPaints(color);
  const blocks = createBlocks({ paint, color });
  const turns = createTurnList(() => createTurnDisplay({ clock, paint, blocks, color }, config));
  const done = Promise.withResolvers<void>();
  const writer = createWriter(output, () => leave());
  const errors = createWriter(terminal.errors, () => undefined);
  const screen = createScreen({ clock, writer, getSize, buildFrame: frame });
  const keyboard = createKeyboard({
    input: terminal.input,
    clock,
    maxPasteLength: maxMessageBytes,
    onKey,
    onEnd: () => leave(),
  });

  let editor = createEditorState(createHistory([]));
  let interrupt: InterruptState = { warnedAtMs: undefined, isStopping: false };
  let notice = "";
  let lastBlock: Block["type"] | undefined;
  let lastReply = "";
  /** Messages that were entered and not answered yet. */
  let unanswered = 0;
  let busySinceMs = 0;
  let cancelTick: (() => void) | undefined;
  let cancelNotice: (() => void) | undefined;
  let life: "new" | "open" | "closed" = "new";
  let hasLeft = false;

  function getSize(): Size {
    return { columns: output.columns || 80, rows: output.rows || 24 };
  }
  const isBusy = () => unanswered > 0 || turns.running().length > 0;

  function append(added: Block[]): void {
    const room = getSize().columns - 1;
    for (const block of added) {
      const gap = hasGap(lastBlock, block.type) ? [""] : [];
      screen.append([...gap, ...block.toLines(room)]);
      lastBlock = block.type;
    }
  }

  function frame() {
    for (const turn of turns.all()) append(turn.takeFinished());
    const size = getSize();
    const live = turns.all().flatMap((turn) => turn.toLiveLines(size.columns - 1));
    const { text, cursor } = editor;
    return buildFrame(
      { live, notice, status: status(), text, cursor, hasScrollback: lastBlock !== undefined },
      size,
      paint,
    );
  }

  function status(): Status | undefined {
    if (!isBusy()) return undefined;
    const [turn] = turns.running();
    return {
      model: turn?.model ?? "",
      activity: interrupt.isStopping ? "stopping" : (turn?.activity ?? ""),
      elapsedMs: clock.monotonic() - (turn?.startedAtMs ?? busySinceMs),
      waiting: Math.max(0, unanswered - 1),
    };
  }

  /** Keeps the spinner turning while something runs, and no timer when nothing does. */
  function update(): void {
    if (isBusy()) {
      cancelTick ??= clock.after(spinnerMs, () => {
        cancelTick = undefined;
        update();
      });
    } else interrupt.isStopping = false;
    screen.requestFrame();
  }

  function onKey(key: Key): void {
    if (key.name === "ctrl+c") {
      onInterrupt();
    } else {
      interrupt.warnedAtMs = undefined;
      notice = "";
      if (key.name === "ctrl+d" && editor.text === "") leave();
      else if (key.name === "ctrl+l") screen.clear();
      else edit(key);
    }
    screen.requestFrame();
  }

  function edit(key: Key): void {
    const step = applyKey(editor, key, maxMessageBytes);
    editor = step.state;
    if (step.isTooLong) notice = `A message may have at most ${maxMessageBytes} bytes.`;
    if (step.submitted !== undefined) void submit(step.submitted);
  }

  function onInterrupt(): void {
    const nowMs = clock.monotonic();
    const meaning = pickInterrupt(interrupt, { isBusy: isBusy(), hasText: editor.text !== "", nowMs });
    if (meaning === "leave") leave();
    if (meaning === "clear") editor = createEditorState(createHistory(editor.history.entries));
    if (meaning === "stop") {
      interrupt = { warnedAtMs: undefined, isStopping: true };
      void askStop().catch((error: unknown) => log.error("The stop could not be passed on", { error }));
    }
    if (meaning === "warn") {
      interrupt.warnedAtMs = nowMs;
      notice = "press Ctrl-C again to leave";
      cancelNotice?.();
      cancelNotice = clock.after(leaveWithinMs, () => {
        if (interrupt.warnedAtMs === nowMs) notice = "";
        screen.requestFrame();
      });
    }
  }

  async function submit(text: string): Promise<void> {
    terminal
      .saveHistory(editor.history.entries)
      .catch((error: unknown) => log.warn("The input history could not be saved", { error }));
    if (text.trim() === "/quit") return leave();
    if (text.trim() === "/copy") return copyLastReply();
    append([blocks.user(text)]);
    if (!isBusy()) busySinceMs = clock.monotonic();
    unanswered++;
    update();
    try {
      const message = await inbound.offer(text);
      if (message) await terminal.settled(message.id);
    } catch (error) {
      log.error("A message could not be followed to its end", { error });
    }
    unanswered--;
    update();
  }

  /** By the terminal itself (OSC 52), so that it works over a remote line too. */
  function copyLastReply(): void {
    if (lastReply === "") notice = "There is no reply to copy yet.";
    else {
      void writer.write(`\x1b]52;c;${Buffer.from(lastReply).toString("base64")}\x07`);
      notice = "The last reply is in the clipboard, if this terminal allows that.";
    }
    screen.requestFrame();
  }

  function leave(): void {
    if (hasLeft || life === "closed") return;
    hasLeft = true;
    done.resolve();
    terminal.onQuit();
  }

  const onResize = () => screen.resized();

  /** Notes and blocks in one frame; resolves when they are on the screen. */
  function show(isRepeated: boolean, added: Block[]): Promise<boolean> {
    if (life === "closed") return Promise.resolve(false);
    append(isRepeated ? [blocks.note(repeatedNote), ...added] : added);
    return screen.draw();
  }

  return {
    async start() {
      const entries = await terminal.loadHistory().catch((error: unknown) => {
        log.warn("The input history could not be read", { error });
        return [];
      });
      if (life !== "new") return;
      life = "open";
      editor = createEditorState(createHistory(entries));
      output.on("resize", onResize);
      keyboard.start();
      void writer.write(pasteModeOn);
      if (terminal.banner !== "") append([blocks.note(terminal.banner)]);
      await screen.draw();
    },
    stop() {
      const wasOpen = life === "open";
      life = "closed";
      done.resolve();
      cancelTick?.();
      cancelNotice?.();
      keyboard.stop();
      output.off("resize", onResize);
      if (!wasOpen) return;
      screen.close();
      void writer.write(pasteModeOff);
    },
    showReply({ text, turnId, isAside, repeated }) {
      const completed = turnId === undefined || isAside ? undefined : turns.get(turnId);
      const missing = completed?.takeMissing(text) ?? text;
      lastReply = stripVTControlCharacters(text);
      const added = blocks.reply(missing);
      return show(repeated === true && added.length > 0, added);
    },
    showFile: (file) => show(file.repeated === true, [blocks.note(formatFile(file))]),
    showEvent(turnId, event) {
      if (life !== "open") return;
      append(turns.open(turnId).apply(event));
      update();
    },
    writeAbove(text) {
      // Without a screen to protect there is only the plain stream.
      if (life === "open") append([blocks.note(text)]);
      else void errors.write(`${neutralise(text).trimEnd()}\n`);
    },
    whenDone: () => done.promise,
  };
}
