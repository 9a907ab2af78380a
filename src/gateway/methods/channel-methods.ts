/** The logins to chat platforms. */
import { GatewayFault } from "../protocol/index.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { notFound } from "./refusals.ts";
import { toChannelStatus } from "./to-summary.ts";

type Names = "channels.status" | "channels.logout" | "channels.types" | "channels.login";

export function buildChannelMethods({ house }: MethodDeps): Group<Names> {
  return {
    "channels.status": async () => ({ channels: house.channels().map(toChannelStatus) }),
    async "channels.logout"({ name }) {
      if (!(await house.logoutChannel(name))) throw notFound(`login ${name} in the config`);
      return { ok: true };
    },
    async "channels.types"() {
      const kinds = await house.loginKinds();
      return {
        types: kinds.map(({ type, label, fields }) => ({
          type,
          label,
          fields: fields.map(({ key, label, hint, isSecret, isList, pattern }) => ({
            key,
            label,
            hint,
            isSecret,
            isList,
            pattern,
          })),
        })),
      };
    },
    async "channels.login"({ type, name, fields }) {
      const result = await house.addLogin({ type, name, fields });
      if (result.type === "failed") {
        const { message, fix } = result;
        throw new GatewayFault({ code: "NOT_LINKED", message, details: { fix } });
      }
      return {
        account: result.account,
        warnings: result.warnings.map(({ message, fix }) => ({ message, fix })),
      };
    },
  };
}
