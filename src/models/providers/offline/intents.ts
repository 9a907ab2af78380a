/** What a request means: a table of matchers, tried in order; the first that takes the text decides. */
import type { Intent } from "./intent.ts";
import { matchSmallTalk, stripCourtesy } from "./small-talk.ts";
import { findEvery, findTime } from "./times.ts";

type Matcher = (text: string) => Intent | undefined;

/** Order matters: special before general, and whatever asks for a definite tool before the open questions. */
const matchers: readonly Matcher[] = [
  matchSpawn,
  matchRun,
  matchReminders,
  matchRemind,
  matchSaid,
  matchRecallByName,
  matchRemember,
  matchFind,
  matchSearch,
  matchList,
  matchRead,
  matchQuestion,
];

/** Characters; nobody asks for one thing at greater length, and patterns get slow on it. */
const longestRequest = 4000;

export function pickIntent(request: string): Intent {
  const known = matchDue(request) ?? (request.length > longestRequest ? { type: "unknown" } : matchSmallTalk(request));
  if (known !== undefined) return known;
  const text = stripCourtesy(request);
  for (const match of matchers) {
    const intent = match(text);
    if (intent !== undefined) return intent;
  }
  return { type: "unknown" };
}

function matchDue(text: string): Intent | undefined {
  const match = /^\[(?:REMINDER|CRON:[^\]]*|WAKE)\]\s*([\s\S]*)$/.exec(text);
  return match ? { type: "due", text: match[1] ?? "" } : undefined;
}

function matchRun(text: string): Intent | undefined {
  const prompt = /^(?:\$|bash:|sh:|shell:)\s*(.+)$/s.exec(text);
  if (prompt?.[1] !== undefined) return { type: "run", command: prompt[1].trim() };
  const match =
    /^(?:run|execute|exec)\b\s*:?\s*(?:(?:this|the)\s+(?:shell\s+)?(?:command|script|code|line)s?|this)?\s*:?\s*([\s\S]*)$/i.exec(
      text,
    );
  if (!match) return undefined;
  const rest = (match[1] ?? "").trim();
  const quoted = /```(?:\w*\n)?([\s\S]*?)```/.exec(rest)?.[1] ?? /`([^`]+)`/.exec(rest)?.[1];
  if (quoted !== undefined) return { type: "run", command: quoted.trim() };
  // "run the tests" names a thing, not a command; guessing one would run something nobody wrote.
  if (rest === "" || /^(?:the|my|our|a|an|all|some|these|those|for|away|out)\b/i.test(rest)) return { type: "run" };
  return { type: "run", command: rest.replace(/\s+for me[.!]?$/i, "") };
}

function matchReminders(text: string): Intent | undefined {
  const isList =
    /^how many reminders\b/i.test(text) ||
    /^(?:list|show|display|see)(?: me)?(?: all)?(?: of)?(?: my| the| our)?(?: pending| open)? reminders\b/i.test(
      text,
    ) ||
    /^(?:what|which|any|are there any|do i have any)(?: are)?(?: my| the)?(?: pending| open)? reminders?\b/i.test(
      text,
    ) ||
    /^(?:my )?reminders[?.]?$/i.test(text);
  if (isList) return { type: "reminders" };
  const cancel =
    /^(?:cancel|remove|delete|drop|stop)(?: my| the)?(?: last)? reminder\b\s*(?:with id|id|number|#|:)?\s*(\S+?)?[.!]?$/i.exec(
      text,
    );
  if (!cancel) return undefined;
  return cancel[1] === undefined ? { type: "cancel" } : { type: "cancel", id: cancel[1] };
}

function matchRemind(text: string): Intent | undefined {
  const ask =
    /\b(?:remind (?:me|us)|(?:set|create|add|make)(?: me)?(?: an?| the)? (?:reminder|alarm|timer)|wake me(?: up)?)\b/i.exec(
      text,
    );
  if (!ask) return matchEvery(text);
  const before = text.slice(0, ask.index).trim();
  if (before !== "" && findTime(before)?.rest !== "" && findEvery(before)?.rest !== "") return undefined;
  const isTimer = /timer$/i.test(ask[0]);
  const rest = text.slice(ask.index + ask[0].length);
  // A timer is set "for 5 minutes"; elsewhere that would be how long something takes.
  const after = isTimer ? rest.replace(/^\s*(?:for|of)\b/i, " in") : rest;
  const again = findEvery(`${before} ${after}`.trim());
  if (again) {
    const { every, rest: what } = again;
    const text = cleanReminder(what);
    return { type: "remind", every, ...(text !== "" && { text }) };
  }
  // Again and again, but nobody knows when: better asked than taken for once.
  if (/\bevery\b/i.test(after)) return { type: "remind", text: cleanReminder(after) };
  const found = findTime(`${before} ${after}`.trim());
  const usual = isTimer ? "time is up" : /wake|alarm/i.test(ask[0]) ? "wake up" : "";
  const about = cleanReminder(found?.rest ?? after) || usual;
  return {
    type: "remind",
    ...(about === "" ? {} : { text: about }),
    ...(found === undefined ? {} : { when: found.when }),
  };
}

/** "Every weekday at nine, tell me to stand up." */
function matchEvery(text: string): Intent | undefined {
  const again = /^every\b/i.test(text) ? findEvery(text) : undefined;
  if (!again) return undefined;
  const what = cleanReminder(again.rest).replace(/^(?:please )?(?:(?:tell|ask) (?:me|us) (?:to|that|about)|say) /i, "");
  return { type: "remind", every: again.every, ...(what !== "" && { text: what }) };
}

function cleanReminder(text: string): string {
  return text
    .replace(/^(?:[,:\s]*(?:to|that|about|of|for|saying)\b)?[,:\s]*/i, "")
    .replace(/[\s,.!]+$/, "")
    .replaceAll(/^["“”]|["“”]$/g, "");
}

function matchSpawn(text: string): Intent | undefined {
  const asks =
    /^(?:spawn|delegate|launch)\b/i.test(text) ||
    /^(?:start|create|run)\b.*\b(?:sub-?agent|background task)\b/i.test(text) ||
    /\bin the background[.!]?$/i.test(text);
  return asks ? { type: "spawn" } : undefined;
}

function matchSaid(text: string): Intent | undefined {
  const match =
    /^(?:what|who|when) (?:was|were|has been|have we|have they|did (?!i\b|you\b)\S+|did you|has \S+|have \S+)\s*(?:ever )?(?:said|say|talked|talk|written|write|discussed|discuss|mentioned|mention)(?: here| today| yesterday| earlier| in (?:here|this (?:chat|channel)))?\s+(?:about|on|regarding)?\s*(.+)$/i.exec(
      text,
    ) ??
    /^who (?:said|mentioned|talked|wrote)(?: anything| something)?(?: about)?\s+(.+)$/i.exec(text) ??
    /^(?:did|has) (?:any(?:one|body)|some(?:one|body)) (?:say|said|mention|mentioned|talk|talked)(?: anything| something)?(?: about)?\s+(.+)$/i.exec(
      text,
    ) ??
    /^(?:search|look through|check) (?:the )?(?:chat|log|history|conversation|messages)(?: log| history)? (?:for|about)\s+(.+)$/i.exec(
      text,
    );
  return match?.[1] === undefined ? undefined : { type: "said", topic: cleanTopic(match[1]) };
}

function matchRecallByName(text: string): Intent | undefined {
  const everything =
    /^(?:what do you (?:remember|know)(?: so far)?|show (?:me )?(?:your|the) memory|what(?:'s| is) in your memory|list (?:your )?memories)[?.!]*$/i;
  if (everything.test(text)) return { type: "recall", topic: "" };
  const match =
    /^what (?:do you (?:remember|know)|did i (?:tell|say to) you|have i told you)(?: about)?\s+(.+)$/i.exec(text) ??
    /^(?:do you (?:remember|know|recall)|recall|tell me(?: again)? about|remind yourself (?:of|about))\s+(.+)$/i.exec(
      text,
    );
  return match?.[1] === undefined ? undefined : { type: "recall", topic: cleanTopic(match[1]) };
}

function matchRemember(text: string): Intent | undefined {
  const match =
    /^(?:remember|memori[sz]e|don'?t forget|do not forget|keep in mind|note|take (?:a )?note|make a note|save (?:this|that)?(?: to (?:your )?memory)?|write down)\b(?: (?:this|of this|of it))?[\s,:]*(?:that\b|of the fact that\b)?[\s:]*([\s\S]+)$/i.exec(
      text,
    );
  const fact = match?.[1]
    ?.trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/[.]+$/, "");
  return fact ? { type: "remember", fact } : undefined;
}

const token = "[`\"']?([^\\s`\"']+?)[`\"']?";

function matchFind(text: string): Intent | undefined {
  const where = `(?:\\s+(?:in|under|inside)\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+)?${token})?[?.!]*$`;
  const named = new RegExp(
    `^(?:find|search for|look for|locate|list)(?: me)?(?: all)?(?: the)? files?\\s+(?:named|called|matching|like|with (?:the )?name)\\s+${token}${where}`,
    "i",
  ).exec(text);
  if (named?.[1] !== undefined) return toFind(named[1], named[2]);
  const ending = new RegExp(
    `^(?:find|list|show|locate)(?: me)?(?: all)?(?: the| my)? files? (?:ending (?:in|with)|with (?:the )?(?:ending|extension))\\s+${token}${where}`,
    "i",
  ).exec(text);
  if (ending?.[1] !== undefined) return toFind(`*.${ending[1].replace(/^[*.]+/, "")}`, ending[2]);
  const kind = new RegExp(
    `^(?:find|list|show|locate)(?: me)?(?: all)?(?: the| my)? \\.?(\\w{1,5}|markdown|typescript) files${where}`,
    "i",
  ).exec(text);
  const extension = kind?.[1]?.toLowerCase();
  if (kind && extension !== undefined && !["the", "my", "all", "any", "your"].includes(extension)) {
    return toFind(`*.${{ markdown: "md", typescript: "ts" }[extension] ?? extension}`, kind[2]);
  }
  const whereIs = new RegExp(
    `^(?:where is|find|locate)\\s+(?:the )?(?:file )?[\`"']?([^\\s\`"']*(?:[*?]|\\.[a-z]\\w{0,5}\\b)[^\\s\`"']*?)[\`"']?${where}`,
    "i",
  ).exec(text);
  return whereIs?.[1] === undefined ? undefined : toFind(whereIs[1], whereIs[2]);
}

function toFind(asked: string, path: string | undefined): Intent {
  const pattern = asked.replace(/[?!]+$/, "");
  return path === undefined ? { type: "find", pattern } : { type: "find", pattern, path };
}

function matchSearch(text: string): Intent | undefined {
  const shell = /^(?:grep|rg)\s+(?:-\w+\s+)+[`"']?([^\s`"']+)[`"']?\s+(\S+)$/.exec(text);
  if (shell?.[1] !== undefined && shell[2] !== undefined) return { type: "search", pattern: shell[1], path: shell[2] };
  const match =
    /^(?:search|grep|rg|look(?=.*\bfor\b)|scan|find)\b(?:\s+-\w+)*(?: through| in)?(?: the(?= files\b)| all| my)?(?: files)?(?:\s+for)?(?: the (?:word|text|string|phrase))?\s+([\s\S]+)$/i.exec(
      text,
    );
  if (!match) return undefined;
  let rest = (match[1] ?? "").replace(/[?.!]+$/, "").trim();
  let path: string | undefined;
  const place =
    /\s+(?:in|under|inside|within)\s+(?:the\s+|my\s+)?(?:file\s+|folder\s+|directory\s+)?[`"']?([^\s`"']+)[`"']?(?:\s+(?:folder|directory|file))?$/i.exec(
      rest,
    );
  if (place?.[1] !== undefined) {
    rest = rest.slice(0, place.index);
    if (!/^(?:files|here|workspace|everything|it|there)$/i.test(place[1])) path = place[1];
  }
  const pattern = rest.replace(/^(?:for\s+)/i, "").replaceAll(/^[`"'“]|[`"'”]$/g, "");
  if (pattern === "") return undefined;
  return path === undefined ? { type: "search", pattern } : { type: "search", pattern, path };
}

function matchList(text: string): Intent | undefined {
  const bare = /^(?:ls|dir)(?:\s+(\S+))?[?.!]*$/i.exec(text);
  if (bare) return { type: "list", path: bare[1] ?? "." };
  const files =
    /^(?:list|show|display|see|which|what)(?: me)?(?: all)?(?: of)?(?: the| my| your| our)? (?:files|folders|documents|contents|content)(?: and (?:folders|files))?(?: (?:are|do you have|do you see|exist|can you see))?(?: there)?(?:\s+(?:here|(?:in|of|under|inside)(?: the| my| this)?(?: folder| directory| workspace)?\s*[`"']?([^\s`"'?]*)[`"']?(?: (?:folder|directory))?))?[?.!]*$/i.exec(
      text,
    );
  // "show me the contents of notes.md" is about a file.
  if (files && !looksLikeFile(files[1] ?? "")) return { type: "list", path: toFolder(files[1]) };
  const inside =
    /^(?:what(?:'s| is)|what do you see|list|show me what(?:'s| is))(?: there)?(?: in(?:side)?)?(?: the| my| this)?(?: folder| directory)?\s+[`"']?([^\s`"'?]+\/|here|(?:this |the )?(?:folder|directory|workspace))[`"']?[?.!]*$/i.exec(
      text,
    );
  if (inside) return { type: "list", path: toFolder(inside[1]) };
  const named =
    /^(?:what(?:'s| is) in(?:side)?|list)(?: the| my)?(?: (?:folder|directory))?\s+[`"']?([^\s`"'?]+?)[`"']?(?: (?:folder|directory))?[?.!]*$/i.exec(
      text,
    );
  const place = named?.[1];
  if (place === undefined || looksLikeFile(place) || /^(?:it|that|this|there)$/i.test(place)) return undefined;
  return { type: "list", path: toFolder(place) };
}

function toFolder(text: string | undefined): string {
  if (text === undefined || /^(?:|here|everything|all|(?:this |the )?(?:folder|directory|workspace))$/i.test(text))
    return ".";
  return text.replace(/(?<=.)\/$/, "");
}

function matchRead(text: string): Intent | undefined {
  const match =
    /^(?:read|cat|open|print|show|display|view|look at)(?: me)?(?: out)?(?: (?:the )?contents? of)?(?: the| my)?(?: file)?\s+[`"']?([^\s`"']+?)[`"']?(?: file)?(?: to me)?[?.!]*$/i.exec(
      text,
    ) ??
    /^what(?:'s| is| does)(?: in(?:side)?)?(?: the)?(?: file)?\s+[`"']?(\S+?\.\w{1,8})[`"']?(?: (?:say|contain|look like))?[?.!]*$/i.exec(
      text,
    );
  const path = match?.[1];
  if (path === undefined || /^(?:it|that|this|me|more|them)$/i.test(path)) return undefined;
  const named = /^(?:read|cat|open)\b/i.test(text) || looksLikeFile(path) || path.includes("/");
  return named ? { type: "read", path } : undefined;
}

function matchQuestion(text: string): Intent | undefined {
  const match =
    /^(?:what|who|where|when|which|whose|how)(?:'s|'re|\s+(?:is|are|was|were|does|do|did))?\b\s+(.+)$/is.exec(text);
  return match?.[1] === undefined ? undefined : { type: "recall", topic: cleanTopic(match[1]) };
}

const looksLikeFile = (path: string): boolean => /[^/.]\.[a-z]\w{0,7}$/i.test(path);

function cleanTopic(text: string): string {
  return text
    .replace(/[?.!\s]+$/, "")
    .replaceAll(/^[`"'“]|[`"'”]$/g, "")
    .trim();
}
