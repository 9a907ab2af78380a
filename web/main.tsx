/** Where the page begins: connection, router, then everything that is seen. */
import { render } from "preact";
import { App } from "./app.tsx";
import { startConnection } from "./connection.ts";
import { startRouter } from "./router.ts";

const root = document.getElementById("app");
// First of all: it takes the one-time code out of the address.
void startConnection();
startRouter();
if (root) render(<App />, root);
