/** The chat: see web/chat/. */
export { Page } from "../chat/chat-page.tsx";
export { Header } from "../chat/header.tsx";
