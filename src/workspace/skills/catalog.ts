/** What is needed only once skills are asked for, or installed: YAML, ignore patterns, the scan. Loaded then. */

/** Everything that opens and understands the files of skills. */
export async function loadScanner() {
  const [{ scanPlace }, { readSkillAt }, { parseFrontmatter }] = await Promise.all([
    import("./scan-place.ts"),
    import("./read-skill.ts"),
    import("./parse-frontmatter.ts"),
  ]);
  return { scanPlace, readSkillAt, parseFrontmatter };
}

/** What `mom skills install` and `mom skills check` need. */
export async function loadSkillInstaller() {
  const [{ readSkillPackage }, { installSkill, checkInstalled }] = await Promise.all([
    import("./read-package.ts"),
    import("./install-skill.ts"),
  ]);
  return { readSkillPackage, installSkill, checkInstalled };
}
