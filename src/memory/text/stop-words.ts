/** Words that say nothing about what is sought. Left out of questions only; files keep all of theirs. */
import { stem } from "./stem.ts";

const english = `a about all also am an and any are as at be because been before being but by can could did do does doing
  for from get got had has have having he her here hers him his how i if in into is it its just like me more most my no nor not
  of off on once only or other our ours out over own please say said she should so some such tell than that the their theirs
  them then there these they thing things this those through to too under until up us very was we were what when where which
  while who whom whose why will with would you your yours im ive id dont didnt doesnt isnt wasnt cant whats remember know`;

const chinese = `的 了 是 在 我 你 他 她 它 们 我们 你们 他们 吗 呢 吧 啊 么 什么 什 怎么 怎 和 与 及 或 也 都 就 还 有 没 没有 不 这 那
  这个 那个 个 哪 哪里 谁 几 被 把 给 对 到 从 为 为什 请 要 会 能 可以 可 以 上 下 里 中 时 时候 候 之 其 一 一个 过 得 地 着 多少 少`;

const stopWords: ReadonlySet<string> = new Set([
  ...english.split(/\s+/).flatMap((word) => [word, stem(word)]),
  ...chinese.split(/\s+/),
]);

/** Takes a word as `tokenise` gives it. */
export const isStopWord = (word: string): boolean => stopWords.has(word);
