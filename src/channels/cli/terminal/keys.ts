/** Terminal input → keys. Names are those people say: `enter`, `ctrl+a`, `alt+left`; text and pastes carry their characters. */
import { StringDecoder } from "node:string_decoder";

export interface Key {
  name: string;
  /** On `text` and `paste`, and only there. */
  text?: string;
}

export interface KeyParser {
  /** The keys that are complete so far. */
  push(chunk: Uint8Array | string): Key[];
  /** An escape key or a started sequence waits for more; after a moment without any, call `flush`. */
  readonly isWaiting: boolean;
  /** Takes what waits for what it is. */
  flush(): Key[];
}

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";
/** CSI and SS3 sequences as terminals send them: parameters, then one final character. */
const sequence = /^\x1b(?:\[([0-9;]*)([A-Za-z~])|O([A-Za-z]))/;
const partialSequence = /^\x1b(?:\[[0-9;]*|O)?$/;

export function createKeyParser(maxPasteLength: number): KeyParser {
  const decoder = new StringDecoder("utf8");
  let waiting = "";
  let paste: string | undefined;

  const takePaste = (): Key[] => {
    const end = waiting.indexOf(pasteEnd);
    // The end mark itself may be cut in two, so its length is held back.
    const upTo = end >= 0 ? end : Math.max(0, waiting.length - pasteEnd.length);
    // One beyond the limit is kept, so that whoever reads it sees that it is too long.
    paste = ((paste ?? "") + waiting.slice(0, upTo)).slice(0, maxPasteLength + 1);
    waiting = waiting.slice(end >= 0 ? end + pasteEnd.length : upTo);
    if (end < 0) return [];
    const text = paste.replace(/\r\n?/g, "\n");
    paste = undefined;
    return [{ name: "paste", text }];
  };

  const read = (isLast: boolean): Key[] => {
    const keys: Key[] = [];
    while (waiting !== "") {
      if (paste !== undefined) {
        keys.push(...takePaste());
        if (paste !== undefined) break;
        continue;
      }
      if (waiting.startsWith(pasteStart)) {
        waiting = waiting.slice(pasteStart.length);
        paste = "";
        continue;
      }
      if (!isLast && partialSequence.test(waiting)) break;
      const { key, length } = parseKey(waiting);
      waiting = waiting.slice(length);
      if (key) keys.push(key);
    }
    return keys;
  };

  return {
    push(chunk) {
      waiting += typeof chunk === "string" ? chunk : decoder.write(chunk);
      return read(false);
    },
    get isWaiting() {
      return waiting !== "" && paste === undefined;
    },
    flush: () => (paste === undefined ? read(true) : []),
  };
}

function parseKey(input: string): { key: Key | undefined; length: number } {
  const match = sequence.exec(input);
  if (match) return { key: fromSequence(match[1] ?? "", match[2] ?? match[3] ?? ""), length: match[0].length };
  if (input.startsWith("\x1b")) {
    if (input.length === 1) return { key: { name: "escape" }, length: 1 };
    const { key, length } = parseKey(input.slice(1));
    const character = key?.text === undefined ? undefined : String.fromCodePoint(key.text.codePointAt(0) ?? 0);
    if (character !== undefined) return { key: { name: `alt+${character}` }, length: 1 + character.length };
    return { key: key && { name: `alt+${key.name}` }, length: 1 + length };
  }
  const text = /^[^\x00-\x1f\x7f]+/.exec(input)?.[0];
  if (text) return { key: { name: "text", text }, length: text.length };
  return { key: fromControl(input.charCodeAt(0)), length: 1 };
}

function fromControl(code: number): Key | undefined {
  if (code === 0x0d) return { name: "enter" };
  if (code === 0x09) return { name: "tab" };
  if (code === 0x7f || code === 0x08) return { name: "backspace" };
  return code >= 1 && code <= 26 ? { name: `ctrl+${String.fromCharCode(code + 96)}` } : undefined;
}

const finals: Record<string, string> = { A: "up", B: "down", C: "right", D: "left", H: "home", F: "end" };
const tildes: Record<string, string> = { 1: "home", 3: "delete", 4: "end", 7: "home", 8: "end" };

/** `1;5C` is ctrl+right: the second parameter is one more than a sum of shift 1, alt 2, ctrl 4. `13;2u` is shift+enter. */
function fromSequence(parameters: string, final: string): Key | undefined {
  const [first = "", second = "1"] = parameters.split(";");
  const name = final === "~" ? tildes[first] : final === "u" && first === "13" ? "enter" : finals[final];
  if (name === undefined) return undefined;
  const held = Number(second) - 1;
  const modifier = held & 4 ? "ctrl+" : held & 2 ? "alt+" : held & 1 ? "shift+" : "";
  return { name: modifier + name };
}
