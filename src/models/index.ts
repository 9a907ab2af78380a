/** Language models: the face of the room. Importing it loads no provider. */
export { type ModelsConfig, modelsConfig } from "./config.ts";
export { createModels, type ModelsDeps } from "./create-models.ts";
