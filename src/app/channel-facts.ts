/** What tools and the prompt are told of the running adapters: their chats, their people, what they can do and may do. */
import type { ChannelFacts } from "../agent/index.ts";
import { type ChannelsConfig, channelLabelOf, findClosedAction, settingsOf } from "../channels/index.ts";
import type { ToolScope } from "../contracts/tool.ts";
import type { ChatDirectory, ToolboxDependencies } from "../tools/index.ts";
import type { AdapterSet } from "./adapters.ts";

/** The adapters are asked at every look; `config` is the one of the moment. */
export interface ChannelFactDeps {
  adapters(): AdapterSet;
  config(): ChannelsConfig;
}

export interface ChannelFactSource {
  directory: ChatDirectory;
  channelTools: ToolboxDependencies["channelTools"];
  factsOf(adapterName: string): ChannelFacts;
}

export function buildChannelFacts({ adapters, config }: ChannelFactDeps): ChannelFactSource {
  const toolsOf = (scope: ToolScope) => adapters().toolsOf(scope, settingsOf(config(), scope.adapterType));
  return {
    directory: {
      adapters: () =>
        [...adapters().started.values()].map((each) => ({
          name: each.name,
          type: each.type,
          capabilities: each.capabilities,
          render: each.render.bind(each),
          // Thousands of people may be known, and few calls ask for them.
          get channels() {
            return each.getChannels();
          },
          get users() {
            return each.getUsers();
          },
          findClosedGate: (what) => findClosedAction(config(), each.type, what),
        })),
    },
    channelTools: toolsOf,
    factsOf(name) {
      const set = adapters();
      const type = set.typeOf(name);
      const capabilities = set.capabilitiesOf(name);
      const isRunning = set.started.has(name);
      return {
        type,
        owners: set.adminsOf(name),
        capabilities,
        ...(isRunning && { label: channelLabelOf(type), tools: set.toolNamesOf(name) }),
        // A platform without threads and reactions shows replies one below the other.
        hasReplyTags: capabilities.includes("reactions"),
        ...(capabilities.includes("reactions") && { reactionLevel: settingsOf(config(), type).reactionLevel }),
      };
    },
  };
}
