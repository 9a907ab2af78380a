/**
 * Settings for git in every program's environment. A repository's own configuration can name programs that git runs by
 * itself, when somebody only asks for its status; a repository from a stranger must not. These win over the repository.
 * Out of reach this way are drivers under names that the repository chooses (textconv, filters, merge) and diff.external,
 * which cannot be set back to nothing: there the sandbox is the wall.
 */
const settings: Readonly<Record<string, string>> = {
  // Run without being asked for.
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.alternateRefsCommand": "true",
  "gc.auto": "0",
  "log.showSignature": "false",
  "interactive.diffFilter": "cat",
  // A folder of a repository that looks like a repository itself is taken for one only by --git-dir.
  "safe.bareRepository": "explicit",
  // Remote helpers that are commands; files only where a person names them.
  "protocol.ext.allow": "never",
  "protocol.file.allow": "user",
  // An empty value forgets all helpers named before.
  "credential.helper": "",
  "core.askPass": "",
  "gpg.program": "gpg",
  "gpg.openpgp.program": "gpg",
  "gpg.x509.program": "gpgsm",
  "gpg.ssh.program": "ssh-keygen",
};

/** For these git takes the environment's word before the configuration's. A call may set its own. */
const variables: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  // There is nobody to type: what needs an editor takes the text as it is.
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_SSH_COMMAND: "ssh",
  GIT_PROXY_COMMAND: "",
};

export function buildGitEnvironment(): Record<string, string> {
  const built: Record<string, string> = { ...variables, GIT_CONFIG_COUNT: String(Object.keys(settings).length) };
  for (const [index, [key, value]] of Object.entries(settings).entries()) {
    built[`GIT_CONFIG_KEY_${index}`] = key;
    built[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return built;
}
