/** The workspace's face: what people write in Markdown. */
export { createWorkspace } from "./create-workspace.ts";
export { ensureWorkspace } from "./ensure-workspace.ts";
export { readWorkspaceFile } from "./read-file.ts";
export { findBundledSkills } from "./skills/bundled-folder.ts";
export { loadSkillInstaller } from "./skills/catalog.ts";
export { skillsConfig } from "./skills/config.ts";
export { createSkillLibrary, type SkillLibrary } from "./skills/skill-library.ts";
