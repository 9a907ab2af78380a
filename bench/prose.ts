/** Text of a given length that is nowhere the same: what people, models and files say in the benches. */

const words =
  "the water is on stove and kettle sings while rain falls over a garden wall where nobody waits for you".split(" ");

/** No quotes, no `#`. The same for the same seed. */
export function buildProse(seed: number, chars: number): string {
  let text = "";
  for (let n = 0; text.length < chars; n++) text += `${words[(seed * 7 + n * (1 + (seed % 5))) % words.length]}${n} `;
  return text.slice(0, chars).trimEnd();
}
