/** What commands load only beside a running mom. */
export const loadAttachChat = async () => (await import("./attach-chat.ts")).attachChat;
export const loadAttachAgent = async () => (await import("./attach-agent.ts")).attachAgent;
