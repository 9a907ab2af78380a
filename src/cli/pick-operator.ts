/** Who gives an order at the machine itself: by the account that runs this. Nothing in the environment can say another. */
import { userInfo } from "node:os";

export function pickOperator(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // An account without a name, as in some containers.
    return `cli:${process.getuid?.() ?? "unknown"}`;
  }
}
