/** Language models: the face of the room. Importing it loads no provider. */
export { loadOAuthFlow, loginProviders } from "./auth/catalog.ts";
export { authConfig } from "./auth/config.ts";
export type { LoadOAuthFlow, LoginQuestion } from "./auth/oauth-flow.ts";
export { implicitNames } from "./auth/profile.ts";
export { removeProfile } from "./auth/remove-profile.ts";
export { budgetConfig } from "./budgets/config.ts";
export { createBudgets } from "./budgets/create-budgets.ts";
export { type ModelsConfig, modelsConfig } from "./config.ts";
export { createModels, type ModelsDeps } from "./create-models.ts";
