/**
 * Does a command line look as if it brought the words of others into the conversation? A guess by its words, on the safe side:
 * it decides only whether later calls that act on the world are asked about. What a program of the agent's own makes does not
 * show in the line that starts it.
 */

/** Programs that speak with other machines, wherever their name stands. */
const fetchers =
  /\b(?:curl|wget|lynx|w3m|httpie|aria2c|ncat|netcat|socat|telnet|sftp|scp|ssh|rsync|openssl\s+s_client|nslookup|whois|gcloud|kubectl|mutt|neomutt|himalaya|fetchmail|getmail|mbsync|offlineimap|yt-dlp|youtube-dl)\b/i;

/** Everyday words that are programs only where a command begins. Nothing here can match the same text twice: lines are long. */
const asCommands =
  /(?:^|[\n;&|({`!]|\b(?:sudo|env|exec|time|nohup|xargs|command|then|do|else|if|while|until)\s)[^\S\n]*(?:\w+=[^\s;&|(){}`!]*[^\S\n]+)*(?:[^\s;&|(){}`!]*\/)?(?:links|elinks|xh|https?|nc|ftp|dig|host|gh|hub|glab|aws|az|mail|mailx|npx|bunx|uvx)(?=\s|$|[;&|)}`])/i;

/** Parts of larger programs. */
const subcommands =
  /\bgit\s+(?:\S+\s+){0,8}?(?:clone|fetch|pull|ls-remote|submodule|remote)\b|\b(?:npm|pnpm|yarn)\s+(?:view|info|show|search|docs)\b|\bpip3?\s+(?:download|search|index)\b/i;

/** Addresses, and how scripts in a line ask for what lies there. */
const scripts =
  /\b(?:https?|ftp|wss?):\/\/|\/dev\/(?:tcp|udp)\/|\b(?:requests|urllib|httpx|aiohttp|axios|undici|Net::HTTP|LWP)\b|\bfetch\s*\(|\bimport\s+socket\b|\bsocket\s*[.(]/i;

/** From the network. */
export const bringsOutside = (command: string): boolean =>
  [fetchers, asCommands, subcommands, scripts].some((pattern) => pattern.test(command));

/** From the folders of chats: the words of people lie there as files. */
export const namesChats = (command: string): boolean =>
  /\bchannels\b|\battachments\b|\b(?:log|context[\w.-]{0,200})\.jsonl\b/i.test(command);

/** Where what comes with it would come from, for people; undefined: it looks like none. */
export function findSource(command: string, { hasNetwork }: { hasNetwork: boolean }): string | undefined {
  if (hasNetwork && bringsOutside(command)) return "output of a network command";
  return namesChats(command) ? "output of a command on the files of chats" : undefined;
}
