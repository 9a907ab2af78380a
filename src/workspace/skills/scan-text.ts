/**
 * Looks through text that strangers wrote for what has been used to harm: things hidden from people, downloads that are run
 * at once, other programs' secrets, talk against mom's own instructions. Advice for the operator, not a wall: who knows
 * the rules can write around them, and what a skill says never decides what mom may do.
 */
import { dropHidden, listHidden } from "./hidden-characters.ts";

interface Rule {
  finds: RegExp;
  /** Completes "line 3: …". */
  says: string;
}

const maxFindings = 20;

/** The rest of a command line, also where it goes on after a backslash or a pipe. Bounded, so that no text takes long. */
const rest = String.raw`(?:[^\n]|(?<=[\\|])\n){0,200}?`;
/** The rest of a sentence, which may go on in the next line but not in the next paragraph. */
const prose = String.raw`(?:[^\n.]|\.(?=\S)|\n(?!\s*\n)){0,120}?`;
const fetcher = String.raw`\b(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod)\b`;
const runner = String.raw`(?:sudo\s+(?:-\S+\s+)*|(?:/[\w/]{1,40}/)?env\s+|exec\s+|nohup\s+)?(?:[\w./-]{0,100}/)?(?:(?:ba|z|k|da|a|fi|c|tc)?sh|python[\d.]*|perl|ruby|php|node|deno|bun|osascript|pwsh|powershell|iex|invoke-expression)\b`;
const decoder = String.raw`\b(?:base64\s+(?:-d|-D|--decode)|openssl\s+(?:enc|base64)\b${rest}\s-d|xxd\s+-r|gunzip|zcat)\b`;
const rule = (says: string, ...sources: string[]): Rule => ({ says, finds: new RegExp(sources.join("|"), "giu") });

const rules: readonly Rule[] = [
  rule(
    "runs a download at once",
    `${fetcher}${rest}\\|\\s*${runner}`,
    String.raw`\b(?:(?:ba|z|k|da)?sh|source|eval|exec|python[\d.]*|node|perl|ruby)\b[^\n]{0,40}?(?:<\(|\$\(|${"`"})\s*${fetcher}`,
    String.raw`(?:^|\s)\.\s+<\(\s*${fetcher}`,
    String.raw`\b(?:iex|invoke-expression)\b[^\n]{0,80}?(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|webclient)`,
    String.raw`\bdownloadstring\s*\(`,
    String.raw`\bexec\s*\(\s*(?:urllib|requests|__import__)`,
    `${fetcher}${rest}(?:&&|;)\\s*(?:sudo\\s+)?(?:chmod\\s+\\S*[x7]|(?:ba|z|da)?sh\\s|\\./\\w)`,
  ),
  rule(
    "runs a program that it hides by encoding",
    `${decoder}${rest}\\|\\s*${runner}`,
    String.raw`\beval\b[^\n]{0,60}?\bbase64\b`,
    String.raw`\b(?:pwsh|powershell)\b[^\n]{0,80}?\s-e(?:nc|ncodedcommand)?\s+[a-z0-9+/=]{16,}`,
    String.raw`\bexec\s*\(\s*(?:base64|codecs|zlib)`,
  ),
  rule(
    "names a place where credentials are kept",
    String.raw`\.ssh(?:[/\\]|\b)|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws(?:[/\\]|\b)|\.gnupg\b|\.kube[/\\]config|\.docker[/\\]config\.json`,
    String.raw`\.config[/\\]gcloud|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|/etc/shadow\b|\bwallet\.dat\b`,
    String.raw`\bauth\.json\b|(?:\.\.|\bdata|\bmom|mom_data\}?)[/\\]config\.json\b|\bstate[/\\]mom\.db\b|/proc/[^\s/]{1,12}/environ\b`,
  ),
  rule(
    "names a browser's profile or a keychain",
    String.raw`(?:google[/\\-]chrome|chromium|bravesoftware|microsoft[/\\ ]edge)[/\\][^\n]{0,60}?(?:default|profile|user data|login data|cookies)`,
    String.raw`\.config[/\\](?:google-chrome|chromium|bravesoftware)|\.mozilla[/\\]firefox|\bfirefox[/\\]profiles|\blogin data\b`,
    String.raw`library[/\\]keychains|login\.keychain|\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain)|\bsecret-tool\s+(?:lookup|search)`,
  ),
  rule(
    "asks to download a program and run it",
    `\\bdownload(?:ing)?\\b${prose}(?:https?://|\\.(?:zip|exe|dmg|pkg|msi|sh|bat|ps1|7z|rar)\\b)${prose}\\b(?:run|execute|launch|open|extract|unzip|double-click|install)\\b`,
    `\\b(?:run|execute|launch|open|extract|unzip|double-click)\\b${prose}\\bdownload(?:ed)?\\b${prose}(?:https?://|\\.(?:zip|exe|dmg|pkg|msi|sh|bat|ps1|7z|rar)\\b)`,
    `\\b(?:prerequisites?|required|must|before (?:using|you))\\b${prose}\\b(?:download|install|run)\\b${prose}\\.(?:zip|exe|dmg|pkg|msi|sh|bat|ps1|7z|rar)\\b`,
    `\\b(?:archive|zip|extract)\\b${prose}\\b(?:password|passphrase)\\b\\s*(?:[:=]|is\\b)`,
  ),
  rule(
    "speaks against other instructions",
    String.raw`\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,60}?\b(?:previous|prior|above|earlier|other|all|any|system|existing|your)\b[^.\n]{0,40}?\b(?:instructions?|rules?|prompts?|guidelines?|messages?|directions?|polic(?:y|ies)|restrictions?)\b`,
    String.raw`\byou are now\b[^.\n]{0,40}?\b(?:developer|dan|jailbroken|unrestricted|god|admin)\b`,
    "</?(?:system|system[-_]prompt|system[-_]message)>",
  ),
  rule(
    "asks to keep something from people",
    String.raw`\b(?:do not|don't|never)\s+(?:tell|inform|mention|reveal|show|notify|alert|ask)\b[^.\n]{0,50}?\b(?:users?|owners?|operators?|humans?|anyone)\b`,
    String.raw`\bwithout\s+(?:telling|asking|informing|notifying|alerting)\b[^.\n]{0,30}?\b(?:users?|owners?|operators?|humans?|anyone)\b`,
  ),
];

/** Sentences such as `line 3: runs a download at once`, in the order of lines. */
export function scanText(text: string): string[] {
  const plain = dropHidden(text.normalize("NFKC"));
  const lineOf = createLineCounter(plain);
  const findings = [
    ...scanHidden(text),
    ...rules.flatMap(({ finds, says }) => {
      const lines = new Set([...plain.matchAll(finds)].map(({ index }) => lineOf(index)));
      return [...lines].map((line) => ({ line, says }));
    }),
  ].sort((a, b) => a.line - b.line);
  const sentences = findings.slice(0, maxFindings).map(({ line, says }) => `line ${line}: ${says}`);
  const over = findings.length - sentences.length;
  return over > 0 ? [...sentences, `and ${over} more of the kind`] : sentences;
}

function scanHidden(text: string): { line: number; says: string }[] {
  return text.split("\n").flatMap((content, at) => {
    const found = listHidden(content);
    if (found.length === 0) return [];
    return [{ line: at + 1, says: `has characters that cannot be seen (${found.slice(0, 5).join(", ")})` }];
  });
}

/** The line of a position, counted from 1. */
function createLineCounter(text: string): (index: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (index) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
