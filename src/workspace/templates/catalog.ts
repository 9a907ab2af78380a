/** What templates need only when one has frontmatter: the YAML parser costs more than the rest of the room together. */
export async function loadFrontmatterParser() {
  const { parseFrontmatter } = await import("../skills/parse-frontmatter.ts");
  return parseFrontmatter;
}
